"""Pairwise exchange: agents are drawn into pairs by lot, and trade the tasks that they hold."""
