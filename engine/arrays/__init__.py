"""A study in memory, and a slice of it as masks and counts (layer 2).

`study_arrays` reads a study once; `resolve` turns a `Slice` into rows; `view` counts them.
Measures are written against `SliceView` and never see packed bits or tables. It may import the layer of
tables: `engine.schema`, `engine.store`, `engine.stats`, `engine.slices`, NumPy and pyarrow.
"""
