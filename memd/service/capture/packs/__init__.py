"""Consolidation with a model at hand: what it is given, what of its answer is proved, and who asks it."""
