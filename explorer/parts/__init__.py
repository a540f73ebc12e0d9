"""Pieces that all pages share: addresses, context, safe text, figures and words."""
