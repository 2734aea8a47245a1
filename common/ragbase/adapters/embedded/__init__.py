"""The embedded profile: everything in one folder on one machine, with no server and no account."""
