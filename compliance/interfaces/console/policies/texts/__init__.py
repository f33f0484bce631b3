"""Texts of policies: what people write in Word, in Markdown or in the editor, made into canonical policy HTML.

`files` takes an upload apart, `word` and `markdown` make HTML of it, and `tidying` makes of any HTML what a policy may
hold, and says what it left out. None of it touches the database.
"""
