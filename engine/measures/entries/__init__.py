"""Entries of the catalogue: what each measure is called, asks and returns."""
