"""What developers of gdsl run by hand; nothing of the compiler imports it."""
