"""What is kept of conversations though nobody calls remember: at which level, when, and what a person asks for."""
