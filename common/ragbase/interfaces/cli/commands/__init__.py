"""One command a file, named as it is called. Each holds a `command`."""
