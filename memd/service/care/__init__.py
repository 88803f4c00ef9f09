"""Verbs that keep the workspace well: absorb, recover, status."""
