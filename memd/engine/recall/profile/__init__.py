"""All that is held of somebody or something: who asks for it, whose it is, what of it comes first, and how it reads."""
