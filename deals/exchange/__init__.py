"""Messages of a task exchange: their validation and what of them is delivered."""
