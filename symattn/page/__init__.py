"""Page trees: plain data that every renderer reads."""
