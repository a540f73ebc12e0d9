"""People's labels: tasks made from a study, the database of labels, and agreement.

- `database`, `database_tables`: the database, SQLite or PostgreSQL behind one `Database`.
- `people`: annotators, and the tokens of their links.
- `sampling`: the choice of items from a study; `items`: their texts, and what annotators may not see.
- `tasks`: tasks and assignments; `sides`: sides shuffled, labels mapped back.
- `shown_items`, `labels`, `progress`: an annotator's way through a task, and what is submitted on it.
- `counted_labels`: the labels that count; `agreement`, `disputes`: agreement, and settling disputes.
- `label_rows`, `label_files`: labels to and from studies and files; `committees`: as references.

What an annotator may see is in `items.payload`, texts only. Authors and anything else known about an item are
in `items.hidden`, which the labelling page never reads. May import all of `engine` but charts and commands.
"""
