"""The explorer: pages over studies, run with `streamlit run explorer/app.py`.

- `app`: navigation only; `app_pages/`: one file for each page, which composes and computes nothing.
- `context`: which store, study and page; `address`: the view written into the address, and read from it.
- `sitemap`: the pages there are; `data`: the only caching module; `choices`: what a study has to choose.
- `filters`, `selection`: the widgets; `components`: charts and tables with their counts; `evidence`: one
  judged item; `tables`, `wording`: numbers and codes in words.
- `figures`: charts that take more than one measure; `sections`: the parts of the page on paradigms.
- `texts`: a text plain or rendered; `safe_markdown`, `mathematics`: untrusted Markdown made harmless.
- `pins`, `presenting`, `reporting`: views pinned with the study, shown screen by screen, sent as a file.
- `explanations`, `judge_words`, `holdings`: measures, a judge's numbers and a study's state in words.

It may import `engine` and Streamlit, never litellm.
"""
