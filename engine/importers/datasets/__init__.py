"""Published studies and data sets, as studies: a catalogue, downloads, and the readers of their files."""
