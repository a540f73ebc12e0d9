"""Benchmarks: how long the engine takes on a large study, beside other tools in the same run.

`python -m tests.benchmarks` runs them all; pytest does not collect them. Needs the extra `bench`.
- `studies`: the simulated studies; `timing`: clocks, and the rows of the report.
- `calls`, `callers`: a run's calls beside those of bare litellm and inspect_ai, on one server.
- `transport`: the transport of our own beside bare litellm, bare aiohttp and inspect_ai.
- `server`: a server that people share; `visitors`: the people, over Streamlit's own protocol.
- `claims`: how often the scorecard and the rules of findings claim falsely, and find what is planted.
- `size`, `probe`: studies of 1, 10 and 100 million verdicts, asked in processes of their own.
- `pacing`, `spending`: a pace under limits, and a cap, on a simulated clock; each is run by itself.
- `slices`, `opening`: what is measured; `rivals`: the same group-by in Polars, DuckDB and pandas.
- `report`: the table, the machine, and where they stand in `docs/performance.md`.
"""
