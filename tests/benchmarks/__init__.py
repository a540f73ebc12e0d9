"""Benchmarks: how long the engine takes on a large study, compared with other tools in the same run.

`python -m tests.benchmarks` runs them all; pytest does not collect them. Needs the extra `bench`.
- `studies`: the simulated studies; `timing`: clocks, and the rows of the report.
- `calls`, `callers`: a run's calls, compared with bare litellm and inspect_ai on one server.
- `transport`: our own transport, compared with bare litellm, bare aiohttp and inspect_ai.
- `server`: a shared server; `visitors`: its visitors, over Streamlit's own protocol.
- `claims`: how often the scorecard and the rules of findings make false claims, and detect planted biases.
- `size`, `probe`: studies of 1, 10 and 100 million verdicts, measured in processes of their own.
- `recording`: finished calls a second in the database of a run; run by itself.
- `pacing`, `spending`: pacing under limits, and a spending cap, on a simulated clock; each is run by itself.
- `slices`, `opening`: the engine's timings; `rivals`: the same group-by in Polars, DuckDB and pandas.
- `report`: the table and the machine, and writing them into `docs/performance.md`.
"""
