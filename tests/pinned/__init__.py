"""The project's interface, pinned: what commands print, and every name that people type or files hold.

Moving or renaming internal files must not change anything here.

- `outputs`, `outputs.json`: outputs for the demonstrations; `python -m tests.pinned.outputs --write`.
- `names`, `names.json`: commands, flags, columns, fields and codes; `python -m tests.pinned.names --write`.
- `places`: the only imports from inside the engine, so that a move is one line here.
"""
