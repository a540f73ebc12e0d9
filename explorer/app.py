"""The explorer's entrance: navigation only."""

import streamlit as st

from explorer import address, context
from explorer.sitemap import PAGES

# Neither the app nor a page has an icon of its own: Streamlit fetches a symbol for the browser's tab from
# another host.
st.set_page_config(page_title="Self-preference explorer", layout="wide")

pages = {page.title: st.Page(page.path, title=page.title) for page in PAGES}
current = st.navigation(list(pages.values()), position="hidden")
page = next(page for page in PAGES if page.title == current.title)

address.read(page.name, page.keys)
context.begin(page)
current.run()
address.write(page.keys)
