"""What comes to mind or is found: by a scene, by words, in the files that are always at hand."""
