"""JSON that the HTTP API and the command line share."""
