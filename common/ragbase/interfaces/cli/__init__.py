"""The command line `ragbase`. docs/cli.md describes its commands, exit codes and JSON."""
