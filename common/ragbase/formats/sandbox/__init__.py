"""What keeps a process that reads untrusted bytes from everything else of the machine (docs/security.md)."""
