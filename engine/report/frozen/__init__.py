"""A frozen study: a folder from which its numbers are made again elsewhere, or what differs is said.

`record` declares and reads the folder's `freeze.json`, `content` writes the folder, `verdicts` compares
verdicts row by row, and `reproduction` computes everything again. Nothing in a folder is ever executed.
"""
