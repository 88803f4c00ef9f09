"""The workspace itself: roles, settings, figures, upkeep, what goes in and out."""
