"""What the models on this machine's processor share: how they are prepared, kept, loaded and run."""
