"""What memd does when it is asked: one module a family of methods, each declared once."""
