"""What does this scene bring to mind?"""
