"""Outside languages: the socket and JSON-RPC. Doors translate; they decide nothing."""
