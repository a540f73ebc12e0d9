"""Pairs drawn for judges (MEASURES sections 9 and 10)."""
