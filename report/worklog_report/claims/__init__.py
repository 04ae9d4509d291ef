"""What pages say of the results in words, held against the results."""
