"""Symmetric aggregative games: payoffs depend on one's own action and one sum over the others.

`symmetric` is the kind of game to start from, and `counts` its formula. `payoffs` answers what a
normal-form game asks of its table, `replay` and `foresight` what credit and embedded agents ask:
each by how many do what, so that a thousand agents cost little more than ten.
"""
