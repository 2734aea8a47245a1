"""Extraction → passages with exact offsets, in linear time whatever the text."""
