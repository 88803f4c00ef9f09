"""memd behind other libraries' interfaces."""
