"""The only mutable state: roles, the log and who writes, who follows the files, and what is derived from them."""
