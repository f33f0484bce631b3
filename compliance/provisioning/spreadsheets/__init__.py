"""The spreadsheet of people that HR exports: read, matched to the company, planned, and only then recorded as facts.

`reading` turns a file into rows, `columns` decides what each column holds, `lines` what each row states of a person,
and `planning` what that changes in the company; none of these uses the database. `company` loads the data that planning
compares with, and `importing` records.
"""
