"""Numbers: printed decimals, exact numbers, enclosures, float formats."""
