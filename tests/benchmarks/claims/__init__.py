"""How often the program claims a self-preference that does not exist, and how often it detects one that does.

- `kinds`: the kinds of studies drawn, without self-preference and with a planted one;
- `rubrics`, `pairs`, `scores`: studies drawn as arrays, their tables, and the limits for infinite studies;
- `trial`: draws studies of a kind, runs the scorecard and the rules of findings, and counts;
- `analysts`: two fits that an analyst would make to the same verdicts;
- `missing_gate`: how often missing verdicts are called unequal;
- `report`: the tables of `docs/claims.md`.
"""
