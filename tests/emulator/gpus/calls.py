"""What calls give: arrays as NumPy has them, and the codes of errors."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl


def numpy_of(values):
    return values.get() if hasattr(values, "get") else np.asarray(values)


def code_of(call) -> tuple[str, str]:
    with pytest.raises(gdsl.GdslError) as error:
        call()
    return error.value.code, str(error.value)
