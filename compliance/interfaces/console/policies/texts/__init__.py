"""Converts what people write in Word, in Markdown or in the editor to canonical policy HTML.

`files` reads an upload, `word` and `markdown` convert it to HTML, and `tidying` reduces any HTML to what a policy may
hold and lists what it left out. None of it touches the database.
"""
