"""What pages choose and show: filters, slices, comparisons, verdicts, findings."""
