"""What the commands have in common: their options, and how files are written."""
