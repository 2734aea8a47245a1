"""The words of ragbase as values: pure, frozen, and importing nothing else of ours."""
