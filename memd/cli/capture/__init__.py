"""Verbs about what became of conversations: consolidate, log."""
