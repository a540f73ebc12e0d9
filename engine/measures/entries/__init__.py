"""Entries of the catalogue: the name, question and fields of each measure."""
