"""Checkouts: what a directory on this machine says of the project it belongs to."""
