"""The pipeline in a simulated world, with faults at every step (docs/correctness.md)."""
