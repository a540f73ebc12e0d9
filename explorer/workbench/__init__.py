"""What is chosen on the pages and what they show of it: filters, slices, comparisons, verdicts, findings."""
