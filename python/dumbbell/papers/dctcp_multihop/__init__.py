"""DCTCP over two bottlenecks."""
