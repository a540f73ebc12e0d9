"""A panel of judges in Inspect, and its log as the tables of a study."""
