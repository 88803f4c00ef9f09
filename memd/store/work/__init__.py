"""What is known of an agent's sessions and runs beside the files."""
