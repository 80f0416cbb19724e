"""What people type: text to expressions, expressions to programs. Text is never run."""
