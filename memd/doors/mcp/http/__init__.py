"""The same server over HTTP, with the official SDK; the one part of memd that imports it."""
