"""A page of a PDF or of a picture as people see it."""
