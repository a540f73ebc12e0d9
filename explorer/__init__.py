"""The explorer: pages over studies, run with `streamlit run explorer/app.py` (layer 5).

- `app` is navigation only; `data` is the only module that caches and gives out studies.
- `app_pages/`: one file for each page, which composes and computes nothing.
- `parts/`: what all pages share: addresses, the page's head, figures with their sentences, safe text.
- `workbench/`: filters, slices, comparisons, verdicts, findings as cards and on screens.
- `new_run/`: a run or a file of one's own, from its form to the study.
- `team/`: people's labels, who is here, and which studies they may see.

It may import `engine` and Streamlit, never litellm.
"""
