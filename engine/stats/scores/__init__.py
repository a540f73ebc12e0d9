"""Scores of models, their ranks, and what judges add to them (MEASURES sections 3 and 8)."""
