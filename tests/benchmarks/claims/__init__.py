"""How often the program claims a self-preference that is not there, and how often it finds one that is.

- `kinds`: the kinds of studies drawn, without self-preference and with a planted one;
- `rubrics`, `pairs`, `scores`: studies drawn as arrays, their tables, and what an infinite one would give;
- `trial`: draws studies of a kind, asks the scorecard and the rules of findings, and counts;
- `report`: the tables of `docs/claims.md`.
"""
