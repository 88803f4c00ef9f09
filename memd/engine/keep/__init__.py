"""Is this worth keeping?"""
