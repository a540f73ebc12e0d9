"""Who is best, by whose judgment: rankings of models, and how far they are from the reference's."""
