"""Reads outside files of any format: within limits, row by row, each value with its place."""
