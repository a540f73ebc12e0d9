"""Questions of the user's own, for models to answer: from a table or a text file."""
