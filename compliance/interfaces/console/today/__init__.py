"""A company's first page: what is overdue and where, what waits for the reader, and what comes due this week."""
