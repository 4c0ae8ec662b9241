"""The codes, one file a family; each file has a tuple `CODES`."""
