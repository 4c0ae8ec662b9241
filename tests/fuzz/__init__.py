"""Campaigns that look for input which breaks gdsl: ``python tests/fuzz --text --minutes 5``."""
