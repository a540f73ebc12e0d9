"""The calls of a run while they are made: which is next, what may be spent, how far it is.

`calling` is the event loop of a run and `scheduling` chooses the next call; it plans nothing and knows no
provider. `batch_stage` does the same through providers' batches.
"""
