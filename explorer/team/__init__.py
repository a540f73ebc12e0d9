"""Who is here and what the team labels: login and access, tasks shared out, watched, settled, written back.

An item that is not decided is shown without whose it is, here as on the annotator's page.
"""
