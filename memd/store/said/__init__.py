"""What was said in this workspace's sessions, as it may be quoted."""
