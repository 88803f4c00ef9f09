"""Quotes of what was said, for a scene that no memory answers."""
