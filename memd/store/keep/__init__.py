"""What judging holds beside the roles."""
