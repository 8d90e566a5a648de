"""Commands that look at runs that were played, and remove them."""
