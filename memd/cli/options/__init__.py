"""What the requests of methods give to the commands that ask them."""
