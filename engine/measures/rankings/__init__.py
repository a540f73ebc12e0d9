"""Who is best, by whose judgment: rankings of generators, and how far they are from the reference's."""
