"""Reading what a judge wrote, of whatever paradigm.

- `objects`: the one object in an answer that holds its verdict, decoded by `loose_json`. `objects_with` is
  where every paradigm begins, so that another form which any answer may have, such as tags, is added there.
- `numbers` and `sides`: a number, and the better of two responses, in words.
- `quotations`: whether a passage is the answer, or quoted, denied or taken back.
- `user_forms`: forms that a user describes, for `spb run reparse --template`.
"""
