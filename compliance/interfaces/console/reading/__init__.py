"""Previewing a published course in the console: in the player that learners have, recording nothing."""
