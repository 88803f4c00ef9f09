"""When a text's event happens: its own phrases of time, resolved when it is written."""
