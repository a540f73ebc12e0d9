"""Why judges favour themselves, and what helps: familiarity, recognition, relatedness, rewriting."""
