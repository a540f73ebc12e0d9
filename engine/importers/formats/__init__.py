"""The formats of tools, papers and data: a TOML file each, or a module where a program is needed."""
