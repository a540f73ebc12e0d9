"""Comparisons of two answers: equal quality, the quality baseline, DBG, votes (MEASURES sections 9 to 11)."""
