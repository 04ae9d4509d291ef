"""What was measured and counted, checked against its schema; and the ladder's arithmetic."""
