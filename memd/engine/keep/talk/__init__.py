"""What of a conversation can stand by itself: its statements, each with its turns, in words that need no neighbour."""
