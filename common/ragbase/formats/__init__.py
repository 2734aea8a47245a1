"""The formats that ragbase reads. table.py lists them; each has a file of its own."""
