"""What was said in conversations, cut so that it can be quoted, and which of it fits a question."""
