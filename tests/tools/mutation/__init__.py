"""How many faults planted in the engine the tests catch: see `__main__`."""
