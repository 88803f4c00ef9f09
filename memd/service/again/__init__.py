"""What words judged alone is judged again: when, as what, and how that is taken back."""
