"""How files from outside are read: bounded, row by row, each value with its place. Knows no format."""
