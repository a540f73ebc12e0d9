"""People's labels: tasks made from a study, the database of labels, and agreement.

- `people`: the database, SQLite or PostgreSQL behind one `Database`; annotators and their tokens.
- `sampling`: the choice of items from a study.
- `tasks`: tasks and assignments; sides shuffled, labels mapped back.
- `labels`: what people submit; `agreement`: agreement, and settling disputes.
- `exchange`: labels to and from studies and files; committees as references.

What an annotator may see is in `items.payload`, texts only. Authors and anything else known about an item are
in `items.hidden`, which the labelling page never reads. May import all of `engine` but charts and commands.
"""
