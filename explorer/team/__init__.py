"""The visitor's identity and the team's labels: login, access, and tasks from creation to written results.

Undecided items are shown without their models, here as on the annotator's page.
"""
