"""One role in memory, and what it tells of its changes."""
