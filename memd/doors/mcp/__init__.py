"""memd as a Model Context Protocol server, made with the official SDK. Only this package imports it."""
