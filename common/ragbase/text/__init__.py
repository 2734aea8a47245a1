"""Text to search terms."""
