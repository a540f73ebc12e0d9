"""Names of models: their parts, their families, and their corrections by people."""
