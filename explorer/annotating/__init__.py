"""The annotator's page: own tasks, and their items one after another.

- `desk`: what a session is at, and all that an annotator can do; `choosing`: answers in words, with keys.
- `task_list`: own tasks; `screen`: one item with its `controls`; `responses`: the texts of an item.
- `difference`: two texts with what the other lacks marked; `keys`: what the browser does by itself.

Nothing here opens a study: what is shown comes from `engine.annotations.labelling` alone.
"""
