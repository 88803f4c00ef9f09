"""What makes the data, pages and modules that memd is shipped with, and models for its extras. README.md tells what makes what."""
