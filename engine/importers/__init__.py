"""Readers of outside files (layer 1), all ending in the store's checked tables.

- `pipeline`: an import from file to study. `detection` and `format_loading` say which format a file has.
- `formats`: the formats of tools and papers. Most are declarations, which `declared` reads.
- `tables`: any table of judgments, whose columns are named by the user, guessed, or asked for.
- `datasets`: published studies and data sets to download. `own_questions`: questions for models to answer.
- `reading`: files row by row, within limits, each value with its place.
- `families` and `model_names`: whose model a name means.
"""
