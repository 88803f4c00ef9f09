"""What waits to be kept, what two memories say against each other, and where the edge of the gate lies."""
