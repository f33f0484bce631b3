"""The player: draws a course's pages for learners, for the console's preview and for authors on their own machine.

There is one renderer for the three: `drawing` gathers the data of a page, `templates/player/` draws it. The player
reads no database and records nothing; the caller passes the addresses of media, the answers so far and the address to
which answers are sent.
"""
