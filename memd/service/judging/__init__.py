"""Judging what is offered: by words and by meaning, statement by statement, beside what is known."""
