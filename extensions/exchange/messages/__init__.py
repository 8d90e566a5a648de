"""Messages of a task exchange: their validation, and the part that is delivered."""
