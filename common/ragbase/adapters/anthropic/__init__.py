"""Anthropic's models."""
