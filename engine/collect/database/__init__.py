"""What a run must not lose: its database, and the cache of paid answers.

`run_database` has the tables, and for each a module of its subject has the statements.
"""
