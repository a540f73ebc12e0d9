"""The outside of the project, pinned: what commands print, and every name that people type or files hold.

Files inside may move and be renamed as one likes; nothing here may notice it.

- `outputs`, `outputs.json`: what the demonstration studies give; `python -m tests.pinned.outputs --write`.
- `names`, `names.json`: commands, flags, columns, fields and codes; `python -m tests.pinned.names --write`.
- `places`: the only imports from inside the engine, so that a move is one line here.
"""
