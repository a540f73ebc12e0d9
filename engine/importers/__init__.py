"""Readers of outside formats (layer 1), all ending in the store's checked tables.

One module for each kind of format, with the records that declare them; `registry` holds them all and those
that other packages add, and finds a file's format. `reading` is what they share, `pipeline` reads, reports
and writes.
"""
