"""People's labels: tasks made from a study, the database they are labelled in, and what is computed from it.

- `people`: the database, SQLite or PostgreSQL behind one `Database`; who labels, and their tokens.
- `sampling`: which items of a study.
- `tasks`: tasks and who labels what; responses shuffled, labels turned back.
- `labels`: what people submit; `agreement`: how far they agree, and disputes settled.
- `exchange`: to the study, and to and from files of labels; committees as references.

What an annotator may see is in `items.payload`, texts only. Whose texts they are and what is known of them is
in `items.hidden`, which what shows items never reads. May import all of `engine` but charts and commands.
"""
