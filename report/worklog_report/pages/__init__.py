"""What pages of the repository show of the results, between marker lines."""
