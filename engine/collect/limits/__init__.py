"""What holds calls back: the spending cap, each provider's pace, parameters and models that are refused."""
