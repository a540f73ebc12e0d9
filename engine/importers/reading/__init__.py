"""Reading files from outside: within limits, row by row, each value with its place. Knows no format."""
