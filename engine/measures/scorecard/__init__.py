"""Who favours itself: the conclusion on each judge, and on the judges together (MEASURES sections 16 and 18).

`deciding_source` chooses what decides, `cases` is the evidence, `scorecard` concludes.
"""
