"""What a text is made of: folding, scripts, tokens, stems. One analyzer serves every index and every rule."""
