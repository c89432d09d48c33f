"""TRUMP and RBCC over random networks: sources that send at the rate that routers return (Toomey, 1998)."""
