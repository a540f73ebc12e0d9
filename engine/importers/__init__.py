"""Readers of outside formats, one module for each, all ending in the store's checked tables.

They may import `engine.store`, `engine.schema`, `engine.errors`, pyarrow and NumPy.
"""
