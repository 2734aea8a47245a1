"""How good the answers are: questions whose answers are known, asked and measured."""
