"""What a table leaves open, and the questions on it: columns, meanings, ids, scales.

What is ambiguous is asked, never guessed; each question says what can be typed.
"""
