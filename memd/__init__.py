"""memd: a memory for local agents, kept as plain text in a folder a person owns."""

__version__ = "0.1.0"
