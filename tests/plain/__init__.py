"""A second implementation of the measures by plain loops over dict rows: a specification for testing.

`study` holds the rows; `asking` and `filters` decide which count, `truth` and `agreement` what they are held
against; `verdicts`, `scores` and `pairs` turn rows into what is counted; `ratios` and `deltas` are what
`measures` says of it, `sources` compares two truths, `slices` lists a column's values, `resampling` is
section 13. `judged` and `gold` read pairs as `equal_quality`, `mitigation`, `quality_baseline` and `dbg` need
them. `families`, `given_expected` and `adjusting` take small arrays in the place of a study: judges
together, what is expected of them, and at which level intervals stand. `awkward` and `awkward_pairs` make
small studies in which everything that can be awkward is; `builders`, `pair_builders` and `published` serve
the tests in here.
Nothing in here imports the engine, except the declaration of the tables.
"""
