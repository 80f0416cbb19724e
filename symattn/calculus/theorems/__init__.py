"""Teaching proofs, one file each. A file's name with hyphens is its topic (catalogue.py says what a file has)."""
