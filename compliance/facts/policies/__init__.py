"""Policy versions, receipts and their chain, raw signatures."""
