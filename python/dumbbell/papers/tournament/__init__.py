"""The tournament: every registered controller over every registered queue."""
