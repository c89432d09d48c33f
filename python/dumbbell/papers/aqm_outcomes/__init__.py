"""Published outcomes of queues: CHOKe, SFB, CoDel and PIE, RED."""
