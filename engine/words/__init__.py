"""The wording of every page, report and command: titles, numbers, sentences.

Each module has the words of one subject, named after it.
"""
