"""A company's first page: what is overdue and where, what waits for whoever looks, what comes due this week."""
