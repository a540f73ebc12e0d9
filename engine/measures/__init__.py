"""The measures: what is asked, how it is answered, and which rows come out.

- `catalogue`: every measure declared once; the command line, the pages, the report and the documentation
  are made from it. It imports nothing heavy.
- one module for each measure: `compute(view, options) -> Table` of fields, values and draws.
- `driver`: settles a request, goes through its slices, adds intervals, p-values, reasons and counts.
- `result`: the rows as JSON, CSV, or a pandas frame; `picked`: some of them.

Adding a measure is one entry in the catalogue and one module.
"""
