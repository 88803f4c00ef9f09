"""What a model says of a conversation, held against the turns that it names."""
