"""From a slice as a user wrote it to masks over criteria, questions and answers, and to groups of them."""
