"""The explorer as a server: the names it answers to, its headers, uploads, and sessions that have ended.

Everything here stands in front of Streamlit, and holds for every visitor before a page is drawn.
"""
