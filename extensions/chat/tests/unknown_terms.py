"""Twenty terms of a deal that no game of the conversation can express."""

UNKNOWN_TERMS = [
    "Alice gets 20 for it",
    "escape_room, but Alice gets 20 for it",
    "It has to be done before Friday",
    "Whoever is late owes a penalty of 5",
    "Cem receives a tenth of whatever they earn",
    "All amounts are in Swiss francs at 1.07",
    "They settle in euros",
    "Alice may veto the result",
    "Bob has an option to leave for 3",
    "Nobody else may hear of it, keep it confidential",
    "volunteers and nobody may wait twice",
    "prisoners_dilemma with a fine of 5",
    "Alice moves after Bob",
    "A judge decides if they disagree",
    "Bob pays a deposit into escrow",
    "The deal renews every month",
    "Alice guarantees what Bob owes",
    "Alice pays 15 % tax on it",
    "Bob gets a refund of 7 within two weeks",
    "An exclusive right for 12 months",
]
