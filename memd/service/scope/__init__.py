"""Scopes: one answer to whose memory a directory gets, for every door."""
