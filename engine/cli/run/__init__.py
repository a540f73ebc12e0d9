"""`spb run` and `spb try`: runs of models, their progress, cost and cache."""
