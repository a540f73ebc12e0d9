"""The measures: the question of each, its computation, and its rows.

- `catalogue`: every measure declared once; the command line, the pages, the report and the documentation
  are generated from it.
- `entry`: the fields of an entry, which stands at the end of its measure's module.
- one package for each kind of question, with a module for each measure: functions from a slice and options to
  a `Table` of columns, their draws and reasons; `columns` holds columns that several share.
- `compute`: validates a request and computes each of its slices; `rows` adds intervals, p-values and reasons.
- `result`: the rows as JSON, CSV or a pandas frame; `measures_frame`: the measures themselves as one.

Adding a measure is one entry and one function.
"""
