"""Who may ask for what: the password, sessions, API keys, and limits for those who are not signed in."""
