"""From a slice as a user wrote it to masks over rubrics, instances and answers, and to groups of them."""
