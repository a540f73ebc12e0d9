"""The explorer: pages over studies, run with `streamlit run explorer/app.py` (layer 5).

- `app` starts the server, `visit` is each visitor's run.
- `page_list`: the pages, with their parts and keys.
- `data` is the only module that opens and caches studies.
- `app_pages/`: one module for each page, which composes parts and computes nothing.
- `parts/`: what all pages share: addresses, the page's head, views, safe text.
- `workbench/`: filters, slices, comparisons, verdicts, findings as cards and screens.
- `new_run/`: new runs and imports, from the form to the study.
- `serving/`: what stands before Streamlit: names, headers, files, uploads, ended sessions.
- `team/`: people's labels, the visitor's identity, and the studies that the visitor may see.

It may import `engine` and Streamlit, never litellm.
"""
