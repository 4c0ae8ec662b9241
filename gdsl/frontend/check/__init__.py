"""The checker: names, types, and where each form is allowed.

- A program as a whole: `program`, with `declarations`, `type_parameters`, `param_sets`, `procedures`, `recursion`,
  `tuning`. What all of it knows on the way is the `environment`.
- Functors and functions: `statements`, `expressions`; of expressions `names`, `members`, `operations` and `calls`, with
  `functions`, `conversions`, `fixed_size_arrays`, `updates`.
- The schedule: `schedule`, with `operators` (`operands`, `lambdas`, `neighbor_operators`, `intersect`, `far_ends`),
  `sets` and `set_operations`, `reductions`, `forests`, `graphs`, `buckets_and_histories`.
- What is meant by words of other languages: `foreign_names`, `wrong_operands`, `other_reductions`.
"""

from gdsl.frontend.check.program import CheckedProgram, check, check_all, check_tune_words
from gdsl.frontend.check.tuning import Knobs

__all__ = ["CheckedProgram", "Knobs", "check", "check_all", "check_tune_words"]
