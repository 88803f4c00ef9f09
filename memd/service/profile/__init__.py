"""What is held of the user, the role, or somebody by a name."""
