"""The claims package."""
