"""What judges pass although a reference says it failed: HSPP and its like (MEASURES sections 2, 6 and 8)."""
