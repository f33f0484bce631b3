"""The player: draws a course's pages for learners, for the console's preview and for authors on their own machine.

One renderer for the three: `drawing` says what a page knows, `templates/player/` draws it. It reads no database and
records nothing; whoever shows a page says where media lie, what was answered so far and where answers are sent.
"""
