"""A question and what was said before it, to a question that stands alone."""
