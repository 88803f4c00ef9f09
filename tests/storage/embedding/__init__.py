"""The process that embeds: its parts, and the process itself."""
