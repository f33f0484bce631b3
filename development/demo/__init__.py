"""Two companies' years, told through the actions, and the command that runs the whole platform on one machine."""
