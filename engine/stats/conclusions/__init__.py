"""Conclusions on judges and on their group, and how many cases they need (MEASURES sections 16 and 18)."""
