"""Which roles there are, what their files hold, and every other file that is read."""
