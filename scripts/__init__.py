"""Commands for developers and operators (scripts/README.md), and the packages that they run."""
