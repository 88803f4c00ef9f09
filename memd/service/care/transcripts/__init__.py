"""Whether what was said to agents leaves this machine, and where it would go."""
