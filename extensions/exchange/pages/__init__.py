"""The pages of the workflows of task exchange."""
