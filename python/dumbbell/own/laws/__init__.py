"""Laws written in the language: sources to read and to copy."""
