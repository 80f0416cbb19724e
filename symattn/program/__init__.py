"""Programs: axes, three operations, stages, and the attentions that lower to them."""
