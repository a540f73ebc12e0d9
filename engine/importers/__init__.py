"""Readers of outside formats (layer 1), all ending in the store's checked tables.

One module for each format, with the record that declares it; `registry` holds them all and those that other
packages add. `reading` is what they share, `sniffing` finds a file's format, `pipeline` reads, reports and
writes.
"""
