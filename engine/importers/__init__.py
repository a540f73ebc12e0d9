"""Readers of outside formats (layer 1), all ending in the store's checked tables.

One module for each kind of format, with its declarations; `registry` lists these and those of other
packages, and detects a file's format. `reading` is shared by all, `pipeline` reads, reports and writes.
"""
