"""Build a new index with the current settings while search and uploads go on."""
