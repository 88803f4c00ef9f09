"""What an agent does: curated memory and its snapshots, sessions, runs, tasks, and skills learned from them."""
