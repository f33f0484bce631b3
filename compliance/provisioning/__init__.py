"""What identity providers and HR systems say of people beside the facts, and how it becomes facts."""
