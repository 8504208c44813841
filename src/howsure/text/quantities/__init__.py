"""Read amounts: numbers in words, measures, dates, recurrences and versions."""
