"""Runs seen from outside, by the files that they write."""
