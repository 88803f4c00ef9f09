"""The server on standard input and output, by frames of its own: without the SDK, asyncio or click, for an agent waits."""
