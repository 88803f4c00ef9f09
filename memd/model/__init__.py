"""What things are: memories, roles, scenes, scores, names, settings. Frozen values only."""
