"""What is computed twice where a warp has diverged is found in machine code."""

from __future__ import annotations

import pytest

from tests.support.machine_code import computed_twice, lines_of

FAULT = """
        /*1000*/               @P0 BRA `(.L_x_1) ;
        /*1010*/                   BSSY B0, `(.L_x_1) ;
        /*1020*/                   CALL.REL.NOINC `(wait_for_all) ;
        /*1030*/                   BSYNC B0 ;
.L_x_1:
        /*1040*/                   UIADD3 UR9, UP0, UR18, 0x50, URZ ;
        /*1050*/                   UIADD3.X {high}, URZ, UR19, URZ, UP0, !UPT ;
        /*1060*/                   WARPSYNC.ALL ;
        /*1070*/                   S2UR UR19, SR_CgaCtaId ;
"""
"""As seen in a program of sets; the high half of the sum took the place of the low half of what was added to."""
MET = """
        /*1000*/                   BSSY B0, `(.L_x_1) ;
        /*1010*/               @P0 BRA `(.L_x_2) ;
        /*1020*/                   CALL.REL.NOINC `(wait_for_all) ;
.L_x_2:
        /*1030*/                   BSYNC B0 ;
.L_x_1:
        /*1040*/                   IMAD.U32 R57, RZ, RZ, UR4 ;
        /*1050*/                   UMOV UR4, 0xffffffff ;
        /*1060*/                   {end} ;
"""
"""As seen, too: the thread that had waited came behind the BSYNC when the others had gone on."""
MOVED = """
        /*1000*/               @P0 BRA `(.L_x_1) ;
        /*1010*/                   BSSY B0, `(.L_x_1) ;
        /*1020*/                   BSYNC B0 ;
.L_x_1:
        /*1030*/                   USHF.R.U32.HI UR4, URZ, 0x5, UR13 ;
        /*1040*/                   IMAD.WIDE.U32 R44, R5, UR4, R44 ;
        /*1050*/                   ULDC.64 UR4, c[0x0][0x210] ;
        /*1060*/                   UIMAD.WIDE.U32 UR4, UR4, UR15, URZ ;
        /*1070*/                   @!P0 ST.E.64 desc[UR6][R10.64+0x58], RZ ;
        /*1080*/                   WARPSYNC.ALL ;
"""


def test_a_fault_is_found() -> None:
    assert computed_twice(lines_of(FAULT.format(high="UR18"))) == ["1050"]


def test_other_registers_are_none() -> None:
    assert computed_twice(lines_of(FAULT.format(high="UR20"))) == []


@pytest.mark.parametrize("end", ["BRA.DIV UR4, `(.L_x_3)", "WARPSYNC.ALL"])
def test_threads_that_wait_may_come_late(end: str) -> None:
    assert computed_twice(lines_of(MET.format(end=end))) == ["1050"]


def test_where_nothing_needs_all_threads_they_are_known_to_be_together() -> None:
    assert computed_twice(lines_of(MET.format(end="BAR.SYNC.DEFER_BLOCKING 0x0"))) == []


def test_what_is_computed_there_from_the_beginning_is_the_same_twice() -> None:
    assert computed_twice(lines_of(MOVED)) == []


def test_pairs_of_registers_are_known() -> None:
    used = MOVED.replace("UIMAD.WIDE.U32 UR4, UR4", "R2UR UR7, R8 ;\n        /*1068*/ UMOV UR4, UR4").replace(
        "@!P0 ", ""
    )
    assert computed_twice(lines_of(used)) == []
    late = used.replace("R2UR UR7, R8", "UMOV UR9, UR7 ;\n        /*1064*/                   R2UR UR7, R8")
    assert computed_twice(lines_of(late)) == ["1064"]
