"""memd: a memory for local agents, kept as plain text in a folder a person owns."""

__version__ = "0.1.0"
PROTOCOL = 1  # docs/protocol.md says what raises it
DISTRIBUTION = "memdaemon"  # what installers call it: `memd` on the index is a stranger's program
