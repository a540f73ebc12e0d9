"""People's labels: tasks made from a study, the database they are labelled in, and what is computed from it.

- `database`: its tables, in SQLite or PostgreSQL behind one `Database`.
- `people`: who labels, and their tokens; `sampling`: which items of a study.
- `tasks`: tasks and who labels what; `sides`: responses shuffled, labels turned back.
- `labels`: what people submit; `agreement`: how far they agree; `adjudication`: disputes settled.
- `exchange`: to the study, and to and from files of labels.

What an annotator may see is in `items.payload`, texts only. Whose texts they are and what is known of them is
in `items.hidden`, which what shows items never reads. May import all of `engine` but charts and commands.
"""
