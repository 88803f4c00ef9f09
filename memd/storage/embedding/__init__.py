"""Embeddings in a process of their own: what makes vectors, what holds and multiplies them, and the pipe to it."""
