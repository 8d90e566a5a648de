"""The pages of the workflows: every node and every edge that is drawn."""
