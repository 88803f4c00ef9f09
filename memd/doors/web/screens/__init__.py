"""The screens of the page, one module each: what verbs answer, put into templates."""
