"""The explorer's entrance: navigation only."""

import streamlit as st

from explorer import address, context, identity, sockets

# Neither the app nor a page has an icon of its own: Streamlit fetches a symbol for the browser's tab from
# another host.
st.set_page_config(page_title="Self-preference explorer", layout="wide")

sockets.send_at_once()
open_pages = identity.arrive().pages
pages = {page.title: st.Page(page.path, title=page.title) for page in open_pages}
# Streamlit opens its default page at / alone: a second entry of the first page answers to its name.
home = open_pages[0]
pages[home.title] = st.Page(home.path, title=home.title, url_path="start", default=True)
named = st.Page(home.path, title=home.title, url_path=home.name)
current = st.navigation([*pages.values(), named], position="hidden")
identity.settle()
page = next(page for page in open_pages if page.title == current.title)

address.read(page.name, page.keys)
context.begin(page, open_pages)
current.run()
address.write(page.keys)
