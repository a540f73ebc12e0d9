"""An audit as files: a page, texts for a paper and a pull request, a table, a figure, and data.

`engine.views.audit` chooses the questions and the views that answer them; this package writes what these
show, and computes nothing.
"""
