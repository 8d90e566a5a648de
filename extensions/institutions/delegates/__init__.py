"""Groups elect delegates who bargain for all, and every member signs what they agreed on."""
