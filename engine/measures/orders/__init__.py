"""What the order of options, criteria, answers and lists does to judges."""
