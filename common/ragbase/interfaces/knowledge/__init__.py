"""What the HTTP API, the commands and the tools of an assistant ask: the documents of a profile, or those of a
deployment."""
