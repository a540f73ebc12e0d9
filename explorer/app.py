"""The explorer's entry point: the server, which `streamlit run` imports, and the run of each visitor."""

import streamlit as st

if __name__ == "__main__":
    from explorer.visit import visit  # not in the server: caches and components need one that runs

    visit()
else:
    from explorer.serving.server import MIDDLEWARE, lifetime

    app = st.App(__file__, middleware=MIDDLEWARE, lifespan=lifetime)
