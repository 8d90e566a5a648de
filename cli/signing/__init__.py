"""Commands that check contracts and messages before agents sign or send them."""
