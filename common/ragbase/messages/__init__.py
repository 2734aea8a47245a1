"""The messages that processes send to each other, as JSON."""
