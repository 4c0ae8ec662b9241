"""Passes over the IR, between the rules and the plan: `ir_passes` is the list. `resuming` writes programs that go
on."""
