"""Answers as rows of the study: added while a run goes on, withdrawn to be redone, read anew."""
