"""Scores of answers: given, derived from criteria, and true ones (MEASURES sections 3 and 20)."""
