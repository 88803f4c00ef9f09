"""Decisions: what activates, what is worth keeping, what fits, how to merge. Pure: no disk, clock or chance."""
