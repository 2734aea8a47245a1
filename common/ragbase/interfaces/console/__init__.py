"""The console: the page for the people who own the documents. It asks the public API and nothing else."""
