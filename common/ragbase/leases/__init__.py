"""Who has the right to some work: a lease that processes share, and the heartbeat that keeps one during long work."""
