"""Verdicts as packed bits, and what is counted of them."""
