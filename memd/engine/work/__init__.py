"""Decisions about what an agent did: tool calls in its text, what a history shows, what its runs share, what came of them."""
