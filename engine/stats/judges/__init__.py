"""How good judges are, alone and together: agreement, relatedness, what they pick."""
