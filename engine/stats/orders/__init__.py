"""What the order of options and of answers does (MEASURES section 12)."""
