"""New runs and imports, from the form to the study."""
