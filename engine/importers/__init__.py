"""Readers of outside formats (layer 1), all ending in the store's checked tables.

One module for each kind of format, with its declarations. `format_loading` loads them, with those of other
packages, and detects a file's format. All share `reading`; `pipeline` reads, reports and writes.
"""
