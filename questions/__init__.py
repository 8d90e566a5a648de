"""What is asked of agents: a question a file, named as its template in `prompts`.

Each says what its letter shows, what it is answered with, how an answer is read and checked, how
sound answers enter the table, and how an embedded agent answers (`state.turn.Question`).
"""
