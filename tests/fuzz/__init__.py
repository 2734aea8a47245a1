"""Hostile inputs for what reads untrusted bytes."""
