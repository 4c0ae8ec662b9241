"""The operator IR: `nodes` has all of it, `lowering` makes it, `verifier` checks it, `traversal` walks over it."""
