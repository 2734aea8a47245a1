"""Cuts an extraction into passages with exact offsets, in linear time for every text."""
