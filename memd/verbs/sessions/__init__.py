"""Sessions, and what agents' hooks put into them."""
