"""Previews of published courses in the console, in the learners' player, without recording anything."""
