"""`spb label`: labels by people."""
