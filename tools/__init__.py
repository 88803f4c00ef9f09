"""What makes the data that memd is shipped with, and models for its extras. README.md tells what makes what."""
