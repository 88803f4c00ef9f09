"""memd as a Model Context Protocol server: stdio/ by frames of its own, http/ with the official SDK."""
