"""A run from its start to its report: in one process, in shards on several, or on a cluster."""
