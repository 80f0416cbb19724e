"""The language package."""
