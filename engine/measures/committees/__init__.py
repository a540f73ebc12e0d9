"""Several judges together, in the place of one (MEASURES section 7)."""
