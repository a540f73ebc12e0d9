"""Any table of judgments: what its columns and values are, and what must be asked before it is read.

`table_plan` makes the plan, `guessing` guesses what the user did not say, `asking` asks what stays open, and
`table` reads the rows.
"""
