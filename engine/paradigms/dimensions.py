"""The dimensions that quality is rated on and structured pairs are judged by (MEASURES section 9)."""

DIMENSIONS = ("relevance", "accuracy", "depth", "logic", "clarity")
