"""Reading a published course in the console, as the people who take it would."""
