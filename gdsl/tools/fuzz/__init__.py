"""Campaigns that look for input which breaks gdsl: ``python -m gdsl.tools.fuzz --text --minutes 5``."""
