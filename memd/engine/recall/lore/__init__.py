"""World Info: which entries a scan of the messages activates, by SillyTavern's rules or memd's own."""
