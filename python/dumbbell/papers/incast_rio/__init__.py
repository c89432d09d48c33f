"""TCP Lite and RIO against incast."""
