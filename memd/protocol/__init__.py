"""What is said over the socket: what requests have in common, and every object of a reply, declared once for the verbs and the client."""
