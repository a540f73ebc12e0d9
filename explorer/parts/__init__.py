"""Pieces that all pages share: addresses, context, text made safe, figures and words."""
