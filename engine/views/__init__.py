"""What is shown, declared once: a view answers one question about a study.

Pages, pins, slides, reports and commands render views and decide nothing: they compute no number, choose no
column and write no sentence. A module holds the views of one subject; `registry` finds them by name. Imports
whatever is below the presenting layer, and `words`, `findings` and `charts` beside it; nothing that draws.
"""
