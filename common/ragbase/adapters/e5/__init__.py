"""multilingual-e5-small on this machine."""
