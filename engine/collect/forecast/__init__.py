"""What a run would take, before it starts: calls, dollars, time, and what it could show."""
