"""Reading what a judge wrote: one module for each paradigm, of its name.

`pairwise` also reads the answers of `recognition`. All begin with `objects_with` in `parts.answer_forms`, so
that another form which any answer may have, such as tags, is added there; `parts` has what several readers
share. `user_forms`: forms that a user describes, for `spb run reparse --template`. The messages that judges
answer are in `judge_messages`.
"""
