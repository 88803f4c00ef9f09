"""The verb setup: a memory for every agent on this machine, by one command, and all of it taken back."""
