"""Bytes to values and back: memory.json, TOML, JSONL, PromptX lines, frames. No disk, no policy."""
