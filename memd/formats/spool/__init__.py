"""What hooks leave for a daemon that does not run."""
