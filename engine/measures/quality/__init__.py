"""How good judges are, and which one to use: agreement with a reference and with people, cost."""
