"""The questions to agents, each in a file that is named like the template in `prompts`.

A question defines its letter's facts, its answer's form, how answers are read, checked
and published on the table, and how an embedded agent answers (`state.turn.Question`).
"""
