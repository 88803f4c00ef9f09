"""Should this tool call go through memd?"""
