"""The Python interface: `gdsl.compile`, programs that are called like functions, and their results.

- Compiling: `compiling` and `loading` make a `program`, whose other half is `compiled`: it chooses a backend and keeps
  what was compiled. `arguments` checks what a call passes.
- Results: `result`, `batch` (run by `batch_run`), `pending`; `conversions` to tables and graphs, `saved_results`,
  `resuming` after insertions (from an `origin`), `convergence` warns.
- Knobs: `schedules` has all settings, `tuner` searches, `tune_files` keeps what it found, `tuned` takes it from there.
- In words: `description`, `signature`, `summary`, `display`, `dry_run`.
"""
