"""What `memd setup` puts into other programs' files, and its own record of it."""
