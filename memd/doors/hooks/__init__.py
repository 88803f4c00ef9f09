"""The hooks of agents: a small process that translates between an agent and the daemon, and decides nothing."""
