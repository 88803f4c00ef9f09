"""What is asked of memories: kept, judged, looked at, corrected."""
