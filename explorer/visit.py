"""Each run of a visitor: who they are, the pages that they may open, and the one that they see."""

import streamlit as st

from engine.charts.chart_spec import draw_unchecked
from engine.process import rarely_collect_garbage
from explorer import data
from explorer.parts import context, leaving, popover_keys, selection
from explorer.serving.uploads import run_of_session
from explorer.team import visitors


def visit() -> None:
    """Show the page of the visitor's address."""
    # No icon, here or on a page: Streamlit would fetch it for the browser's tab from another host.
    st.set_page_config(page_title=context.title(), layout="wide")

    data.share_cores()
    rarely_collect_garbage()
    draw_unchecked()
    with run_of_session():
        open_pages = visitors.arrive().pages
        current = st.navigation(context.addresses(open_pages), position="hidden")
        visitors.store_token()
        page = next(page for page in open_pages if page.title == current.title)

        leaving.begin(page)
        implied = page.former.get(current.url_path)
        selection.read_address(page.name, page.keys, implied)
        context.begin_page(page, open_pages)
        current.run()
        popover_keys.listen()
        selection.write_address(page.keys, implied)
        leaving.end()
