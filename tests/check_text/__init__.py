"""Finds text that ragbase loses or doubles: see __main__.py."""
