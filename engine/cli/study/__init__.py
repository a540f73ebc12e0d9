"""`spb study`: what a stored study holds, its verdicts, files and pins."""
