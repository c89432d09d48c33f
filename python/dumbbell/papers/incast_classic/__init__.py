"""The classical results about incast, and what is left of it today."""
