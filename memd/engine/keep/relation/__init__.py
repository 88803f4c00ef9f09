"""How does a new statement stand to an old one?"""
