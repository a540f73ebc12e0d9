"""Comparisons of two answers: both orders in one, their outcomes, and the quality of the answers."""
