"""How commands print: sentences, then the columns there is room for; JSON, CSV, Markdown and pictures."""
