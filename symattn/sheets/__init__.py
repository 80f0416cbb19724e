"""The sheets package."""
