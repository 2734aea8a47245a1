"""The use cases that keep the index right over time. Each works on many documents."""
