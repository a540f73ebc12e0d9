"""The measures: what is asked, how it is answered, and which rows come out.

- `catalogue`: every measure declared once; the command line, the pages, the report and the documentation
  are made from it.
- `entry`: what an entry of it says; `entries`: those of the engine.
- one module for each subject: functions from a slice and options to a `Table` of columns, their draws and
  reasons; `columns` are what several of them make alike.
- `compute`: settles a request and goes through its slices; `rows` adds intervals, p-values and reasons.
- `result`: the rows as JSON, CSV, or a pandas frame; some of them.

Adding a measure is one entry and one function.
"""
