"""One file per verb. A node reads a slice and returns a partial update; it names no successor.

At the table: `open`, `convene`, `tally`, `summarize`, `step`, `account`, `attribute`, `settle`.
In a mind: `ask` (render the letter, ask the seat) and `validate` (parse it, send it back or let
it pass). `say` carries what a mind says to the table.
"""
