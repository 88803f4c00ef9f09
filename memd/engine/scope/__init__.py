"""Whose memory a directory gets: projects by their origin, and what a person says of themselves."""
