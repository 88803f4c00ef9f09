"""What an agent asks, and what a short answer makes of it."""
