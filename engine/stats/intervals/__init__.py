"""Intervals: by resampling questions, by leaving one out, and for few cases (MEASURES sections 13 and 17)."""
