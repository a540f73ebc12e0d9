"""The explorer: pages over studies, run with `streamlit run explorer/app.py` (layer 5).

- `app` is navigation only; `data` is the only module that caches and gives out studies.
- `app_pages/`: one file for each page, which composes and computes nothing.
- `parts/`: what all pages share: the address of a view, its context, figures, words, text made safe.
- `workbench/`: filters, slices, comparisons, evidence, findings as cards, pinned views.
- `new_run/`: a run or a file of one's own, from its form to the study.
- `team/`: people's labels, who is here, and which studies that one may see.

It may import `engine` and Streamlit, never litellm.
"""
