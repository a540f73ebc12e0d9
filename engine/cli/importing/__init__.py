"""`spb import`: the steps of an import, and the options that say how a file is read."""
