"""Parts of answers, which the readers of several paradigms look for.

- `objects`: the one object in an answer that holds its verdict, decoded by `loose_json`.
- `numbers` and `sides`: a number, and the better of two responses, in words.
- `quotations`: whether a passage is the answer, or quoted, denied or taken back.
"""
