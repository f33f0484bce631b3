"""What happened: one room per noun, written only by its actions (design 3)."""
