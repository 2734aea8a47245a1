"""ragbase turns a bucket into an answer."""

__version__ = "0.1.0"
