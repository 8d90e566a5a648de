"""The clause language: clauses, conditions, deals, their rules and the wire format."""
