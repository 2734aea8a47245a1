"""What ragbase is about, as values: pure and frozen. Imports no other package of ragbase."""
