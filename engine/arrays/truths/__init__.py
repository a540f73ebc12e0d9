"""What is compared with what is true: references, gold judges, people, committees."""
