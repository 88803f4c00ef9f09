"""Verbs over memories: trigger, remember, and what changes one."""
