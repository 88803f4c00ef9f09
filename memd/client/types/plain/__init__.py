"""Made from the declarations by `make docs`: change those, not this."""
