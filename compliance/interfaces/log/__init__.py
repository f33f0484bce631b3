"""The deployment's log over HTTP, without a key (https://c2sp.org/tlog-tiles)."""
