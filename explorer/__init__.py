"""The explorer: pages over studies, run with `streamlit run explorer/app.py`.

- `app`: navigation only; `app_pages/`: one file for each page, which composes and computes nothing.
- `context`: which store, study and page; `address`: the view written into the address, and read from it.
- `sitemap`: the pages there are; `data`: the only caching module. `identity`, `login`, `access`,
  `open_studies`: who is here, and which studies that one may see and write; `served`, `sockets`: the server.
- `filters`, `saved`, `selection`, `finding`: the widgets of a slice; `notices`: what was taken out of a view.
- `components`, `downloads`: charts and tables with their counts, and as files; `evidence`: one judged item.
- `figures`, and what joins them (`result_figures`, `pair_figures`, `order_figures`): the charts by name.
- Parts of single pages: `sections`, `committees`, `people_labels`, `comparing`, `compared_table`,
  `finding_cards`, `finding_cards_ranking`, `choosing_run`, `askable`, `run_form`, `run_panel`, `runs`,
  `importing`. `annotating/` and `coordinating/`: the two pages on people's labels.
- `holdings`, `explanations` and all modules in `_words`: a study's state, measures and numbers in words.
- `texts`: a text plain or rendered; `safe_markdown`, `mathematics`: untrusted Markdown made harmless.
- `pins`, `presenting`, `reporting`: views pinned with the study, shown screen by screen, sent as a file.

It may import `engine` and Streamlit, never litellm.
"""
