"""What a scene brings to mind is looked at before it is told, and what a session has already does not come again."""
