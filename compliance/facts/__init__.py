"""What happened: one room per noun, written only by its actions."""
