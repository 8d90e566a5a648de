"""The questions to agents: one file each, named like its template in `prompts`.

A question defines the facts of its letter, the form of its answer, how an answer is read, checked
and published on the table, and how an embedded agent answers (`state.turn.Question`).
"""
