"""The interp package."""
