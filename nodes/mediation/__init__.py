"""Nodes of the mediated play: choosing an action or a mediator, and the mediator's part."""
