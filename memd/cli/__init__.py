"""The command line: one verb, one function; sentences to people, `--json` to programs."""
