"""Comparisons of two answers: equal pairs, the quality baseline, DBG, votes."""
