"""Benchmarks: how long the engine takes on a large study, beside other tools in the same run.

`python -m tests.benchmarks` runs them all; pytest does not collect them. Needs the extra `bench`.
- `studies`: the simulated studies; `timing`: clocks, and the rows of the report.
- `calls`, `callers`: a run's calls beside those of bare litellm and inspect_ai, on one server.
- `server`: a server that people share; `visitors`: the people, over Streamlit's own protocol.
- `size`, `probe`: studies of 1, 10 and 100 million verdicts, asked in processes of their own.
- `slices`, `opening`: what is measured; `rivals`: the same group-by in Polars, DuckDB and pandas.
- `report`: the table, the machine, and where they stand in `docs/performance.md`.
"""
