"""The configuration of a run: its fields, how it is read and checked, and what it leaves out.

`config` declares the fields, `read_config` reads TOML into them, `implied_settings` adds what is clear though
it is not said. `prices` and `model_keys` are what is known of a model before it is called.
"""
