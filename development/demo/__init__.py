"""Two companies with years of history, made through the actions, and the command that runs all on one machine."""
