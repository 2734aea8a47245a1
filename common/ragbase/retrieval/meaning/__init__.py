"""Whether a cited place says what a sentence says: its numbers, dates, names, negations and modal words."""
