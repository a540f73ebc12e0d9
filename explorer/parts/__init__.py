"""Pieces that all pages share: addresses, context, safe text, views and words."""
