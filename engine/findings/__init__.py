"""What is found in a study: claims made by rules that a reader can see, and sentences built from numbers.

A rule reads rows of measures and nothing else; no model writes anything. May import measures, the finder and
the names of charts.
"""
