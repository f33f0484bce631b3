"""The spreadsheet of people: what HR exports, read, matched to the company, planned, and only then recorded as facts.

`reading` makes rows of a file, `columns` says what each column holds, `lines` what each row states of a person,
`planning` what that changes in the company; none of these touches the database. `company` loads what planning is
compared with, and `importing` records.
"""
