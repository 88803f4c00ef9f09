"""What memd's scorers have learned, and how: labelled texts, and the few lines that fit weights to them."""
