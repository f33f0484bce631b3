"""What identity providers and HR systems state about people beyond the facts, and how it becomes facts."""
