"""The log, and how acknowledged work comes into the files."""
