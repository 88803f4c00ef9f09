"""What an agent does and what comes of it: runs, tasks, skills."""
