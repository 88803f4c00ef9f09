"""An attack, a secret?"""
