"""The explorer's entrance: navigation only."""

import streamlit as st

from explorer import address, context
from explorer.sitemap import PAGES

# No page_icon: Streamlit fetches the picture of an emoji or a symbol from another host.
st.set_page_config(page_title="Self-preference explorer", layout="wide")

pages = {page.title: st.Page(page.path, title=page.title, icon=page.icon) for page in PAGES}
current = st.navigation(list(pages.values()), position="hidden")
page = next(page for page in PAGES if page.title == current.title)

address.read(page.name, page.keys)
context.begin(page)
current.run()
address.write(page.keys)
