"""Messages that could not be processed: keep, find and replay them."""
