"""A run or a file of one's own, from its form to the study."""
