"""Finding: where the numbers of a text stand. No judging here."""
