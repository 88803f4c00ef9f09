"""Files of other programs to memories and books, and back."""
