"""Whether a message wants a memory: evidence by meaning and by words, and how they are weighed."""
