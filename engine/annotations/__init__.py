"""People's labels: tasks made from a study, the database of labels, and agreement.

- `people`: the database, SQLite or PostgreSQL behind one `Database`; who labels, and their tokens.
- `sampling`: which items of a study.
- `tasks`: tasks and assignments; sides shuffled, labels mapped back.
- `labels`: what people submit; `agreement`: agreement, and settling disputes.
- `exchange`: writing to the study, and to and from files of labels; committees as references.

What an annotator may see is in `items.payload`, texts only. Authors and anything else known about an item are
in `items.hidden`, which the labelling page never reads. May import all of `engine` but charts and commands.
"""
