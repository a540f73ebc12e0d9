"""`spb plan`: how large a study must be, and simulated studies."""
