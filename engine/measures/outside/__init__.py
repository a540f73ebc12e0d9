"""How a judge treats its own answers, beside judges of other families (MEASURES section 15)."""
