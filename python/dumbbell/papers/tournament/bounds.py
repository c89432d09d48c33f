"""Bounds of claims that are ours, and why they are where they are."""

OURS = (
    ("cubic-long-fat", "the publication says high; 90 % is what NewReno has on the wired link"),
    ("reno-suffers-random-loss", "the law gives a fifth; slow start and short recoveries leave room"),
    ("vegas-waits-less", "a few packets of a buffer of 83"),
    ("flow-queues-isolate", "what the tests of single transports ask of two equal flows"),
    ("codel-holds-the-wait", "twice the target, for what comes before the first drop"),
)
