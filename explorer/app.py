"""The explorer's entry point: navigation only."""

import streamlit as st

from engine.values import rarely_collect_garbage
from explorer import data
from explorer.parts import context, selection
from explorer.team import login

# Neither the app nor a page sets an icon: Streamlit would fetch it for the browser's tab from another host.
st.set_page_config(page_title="Self-preference explorer", layout="wide")

context.send_at_once()
data.share_cores()
rarely_collect_garbage()
open_pages = login.arrive().pages
pages = {page.title: st.Page(page.path, title=page.title) for page in open_pages}
# Streamlit serves its default page only at /, so a second entry serves the first page under its name.
home = open_pages[0]
pages[home.title] = st.Page(home.path, title=home.title, url_path="start", default=True)
names = [(home, home.name), *((page, name) for page in open_pages for name in page.former)]
others = [st.Page(page.path, title=page.title, url_path=name) for page, name in names]
current = st.navigation([*pages.values(), *others], position="hidden")
login.store_token()
page = next(page for page in open_pages if page.title == current.title)

implied = page.former.get(current.url_path)
selection.read_address(page.name, page.keys, implied)
context.begin_page(page, open_pages)
current.run()
selection.write_address(page.keys, implied)
