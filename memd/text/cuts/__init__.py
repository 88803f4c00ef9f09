"""Where one statement ends and the next begins, and the words by which that is seen."""
