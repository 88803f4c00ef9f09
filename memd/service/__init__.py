"""The verbs: what a request does, step by step. The only room that knows both the engine and the storage."""
