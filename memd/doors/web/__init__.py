"""The page: a person sees what is remembered, in a browser on this machine, and corrects it. Asks the daemon for everything."""
