"""Bring acknowledged work into the files: the log, the queues, the writes, and what people do to the files meanwhile."""
