"""`spb measure` and `spb slices`, with the filters that they take."""
