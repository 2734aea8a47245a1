"""The benches of scripts/bench, each in its smallest size."""
