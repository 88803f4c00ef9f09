"""How an agent is served: which words start it, and how the daemon of a workspace is reached, or started."""
