"""The files followed, and the full-text index kept up with them."""
