"""`/learn/`: the pages of employees, partners and customers. No account: a personal link opens a session."""
