"""memd: a memory for local agents, kept as plain text in a folder a person owns."""

__version__ = "0.1.0"
DISTRIBUTION = "memdaemon"  # what installers call it: `memd` on the index is a stranger's program
