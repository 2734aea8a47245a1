"""One file per command, with the command's name. Each defines `command`."""
