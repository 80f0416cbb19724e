"""The render package."""
