"""A judge beside judges of other families, on the same answers (MEASURES section 15)."""
