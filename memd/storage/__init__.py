"""The disk: files, layout, write-ahead log, lock. Moves bytes; decides nothing about memories."""
