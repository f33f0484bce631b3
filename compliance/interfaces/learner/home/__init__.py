"""Home: what one owes, did, holds and signed, and all that is kept about one."""
