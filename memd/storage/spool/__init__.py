"""The spool of a workspace, beside what this machine grants to it: written by hooks, taken in by the daemon."""
