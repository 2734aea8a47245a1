"""Office documents and their like: read in a child process with limits of time and memory."""
