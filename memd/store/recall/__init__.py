"""What recalling holds beside the roles."""
