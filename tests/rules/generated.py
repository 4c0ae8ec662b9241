"""Random programs for the race rules: no sense in them, but all forms of writes, reads and conditions together."""

from __future__ import annotations

import random

_PROBLEM = """program generated;
problem {
    param k: int32 = 2;
    vertex a: int32 = %s;
    vertex b: int32 = int32(id) %% 3;
    vertex c: int32 = int32(id) * 5 %% 4;
    vertex m: bool;
    vertex p: vertex;
    vertex q: vertex = vertex(int32(id) // 2);
    edge w: int32 = int32(id) %% 3;
    scalar s: int32;
    scalar u: int32 = 1;
    scalar t: bool;
}
function bump(x: int32) -> int32 { if (x > 1) { return 1; } return x + 1; }
"""


class Generator:
    """Writes one program; the same seed writes the same one."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # ------------------------------------------------------------ expressions

    def vertex(self, edges: bool, depth: int = 1) -> str:
        if depth and self.chance(0.2):
            return f"q[{self.vertex(edges, 0)}]"
        return self.pick("src", "dst", "src", "dst", "near", "far") if edges else "v"

    def read(self, edges: bool) -> str:
        now = self.pick("now ", *([""] * 11))
        if edges and self.chance(0.15):
            return f"{now}w[e]"
        if self.chance(0.15):
            return now + self.pick("s", "u")
        return f"{now}{self.pick('a', 'b', 'c')}[{self.vertex(edges)}]"

    def number(self, edges: bool, depth: int = 2) -> str:
        if depth == 0 or self.chance(0.3):
            return self.pick("0", "1", "2", "3", "k", "iteration", "iteration + 1", "-1")
        deeper = depth - 1
        forms = [self.read(edges)] * 5
        forms += ["int32(src)", "int32(dst)", "place", "in_degree(dst)"] if edges else ["int32(v)", "out_degree(v)"]
        forms += [
            f"bump({self.number(edges, deeper)})",
            f"({self.truth(edges, deeper)} ? {self.number(edges, deeper)} : {self.number(edges, deeper)})",
            f"({self.number(edges, deeper)} + {self.number(edges, deeper)})",
            f"min({self.number(edges, deeper)}, {self.number(edges, deeper)})",
        ]
        return self.pick(*forms)

    def truth(self, edges: bool, depth: int = 1) -> str:
        forms = ["true", "false", self.pick("", "!") + f"m[{self.vertex(edges)}]", self.pick("", "!") + "t"]
        forms += [f"p[{self.vertex(edges)}] == none"]
        comparison = self.pick("==", "<", "!=", ">=")
        forms += [f"{self.number(edges, depth)} {comparison} {self.number(edges, 0)}"] * 2
        if depth:
            forms.append(f"({self.truth(edges, 0)} {self.pick('&&', '||')} {self.truth(edges, 0)})")
        return self.pick(*forms)

    # ------------------------------------------------------------ statements

    def target(self, edges: bool) -> str:
        if edges and self.chance(0.1):
            return "w[e]"
        return self.pick("s", "u") if self.chance(0.2) else f"{self.pick('a', 'b', 'c')}[{self.vertex(edges)}]"

    def flag(self, edges: bool) -> str:
        return "t" if self.chance(0.3) else f"m[{self.vertex(edges)}]"

    def effect(self, edges: bool) -> str:
        own = self.pick("src", "dst", "near") if edges else "v"
        return self.pick(
            f"changed({self.target(edges)} {self.pick('min=', 'max=', '+=')} {self.number(edges)})",
            f"changed({self.target(edges)} min= {self.number(edges)})",
            f"changed({self.flag(edges)} {self.pick('|=', '&=')} {self.truth(edges)})",
            f"cas({self.target(edges)}, {self.pick('0', '-1', '1')}, {self.number(edges, 1)})",
            f"cas({self.flag(edges)}, false, true)",
            f"cas(p[{self.vertex(edges)}], none, {own})",
        )

    def statement(self, edges: bool, depth: int = 2) -> str:
        forms = [
            f"{self.target(edges)} {self.pick('=', '=', 'any=')} {self.number(edges)};",
            f"{self.target(edges)} {self.pick('min=', 'max=', '+=', '-=', '*=')} {self.number(edges)};",
            f"{self.flag(edges)} {self.pick('=', 'any=', '|=')} {self.truth(edges)};",
            f"p[{self.vertex(edges)}] {self.pick('=', 'any=', 'min=')} {self.pick('src', 'dst') if edges else 'v'};",
            f"accept {self.effect(edges) if self.chance(0.5) else self.truth(edges)};",
            f"{self.effect(edges)};",
        ]
        if depth:
            forms += [self.branch(edges, depth)] * 3
            forms.append(f"for i{depth} in 0..2 {{ {self.statement(edges, depth - 1)} }}")
        return self.pick(*forms)

    def branch(self, edges: bool, depth: int) -> str:
        condition = self.effect(edges) if self.chance(0.55) else self.truth(edges)
        otherwise = f" else {{ {self.statement(edges, depth - 1)} }}" if self.chance(0.3) else ""
        body = " ".join(self.statement(edges, depth - 1) for _ in range(self.random.choice((1, 1, 2))))
        return f"if ({condition}) {{ {body} }}{otherwise}"

    def steady(self, index: str) -> str:
        """A statement that fits a closing functor, or nearly."""
        return self.pick(
            f"m[{index}] = true;",
            f"c[{index}] = iteration;",
            f"c[{index}] any= b[src];",
            "u += 1;",
            "t = true;",
            f"c[{index}] = b[{index}] + 1;",
            f"accept b[{index}] > 0;",
            "accept b[src] > 0;",
            f"p[{index}] any= src;",
            f"if (b[src] > 0) {{ c[{index}] = 3; }}",
            f"if (b[{index}] > 0) {{ m[{index}] = true; }}",
            "w[e] any= 1;",
            "accept false;",
        )

    # ------------------------------------------------------------ functors

    def functor(self, name: str, edges: bool) -> str:
        condition = f"cond {self.truth(edges)}; " if self.chance(0.5) else ""
        body = " ".join(self.statement(edges) for _ in range(self.random.choice((1, 1, 2, 2, 3))))
        head = f"edge functor {name}(src, dst, e)" if edges else f"vertex functor {name}(v)"
        return f"{head} {{ {condition}apply {{ {body} }} }}"

    def closing(self, name: str) -> str:
        """A functor that writes what its `cond` tests."""
        array, index = self.pick("a", "a", "m", "p"), self.pick("dst", "dst", "dst", "src", "far", "near")
        at = f"{array}[{index}]"
        conditions = [f"{at} == -1", f"{at} < 0", f"({at} == -1 || {at} == iteration + 1)"]
        condition = {"a": self.pick(*conditions), "m": f"!{at}", "p": f"{at} == none"}[array]
        values = {"a": ("iteration + 1", "0", "2", f"b[{index}]", "k"), "m": ("true",), "p": ("src", "dst", "near")}
        value = self.pick(*values[array])
        cas = f"cas({at}, { {'a': '-1', 'm': 'false', 'p': 'none'}[array] }, {value})"
        write = self.pick(
            f"{at} = {value};",
            f"{at} = {value};",
            f"{at} any= {value};",
            f"{cas};",
            f"accept {cas};",
            f"if ({cas}) {{ {self.statement(True, 1)} {self.steady(index)} }} else {{ accept false; }}",
            f"if ({self.truth(True)}) {{ {at} = {value}; {self.steady(index)} }}",
            f"let won = {cas}; accept won; if (won) {{ {self.steady(index)} }}",
        )
        others = [
            self.pick(self.steady(index), self.statement(True, 1)) for _ in range(self.random.choice((0, 1, 1, 2)))
        ]
        statements = [write, *others]
        self.random.shuffle(statements)
        more = f" && {self.truth(True)}" if self.chance(0.3) else ""
        return f"edge functor {name}(src, dst, e) {{ cond {condition}{more}; apply {{ {' '.join(statements)} }} }}"

    def relaxation(self) -> str:
        """A functor whose reduction reads its own array, in ways that settle and in ways that do not."""
        near, far = self.random.choice((("src", "dst"), ("src", "dst"), ("near", "far"), ("dst", "src")))
        read = self.pick(f"a[{near}]", f"a[{near}]", f"a[{near}]", f"a[{far}]", f"a[q[{near}]]")
        operand = self.pick(
            *(f"{read} + w[e]", read, f"min({read}, w[e])", f"max({read}, 2)", f"{read} - w[e]", f"w[e] - {read}"),
            *(f"{read} * (w[e] - 1)", f"(b[{near}] > 0 ? {read} : 3)", f"bump({read})", f"{read} + iteration"),
        )
        operation = "min="
        if self.chance(0.3):
            operation, operand = "max=", self.pick(f"min({read}, 5)", f"{read} - 1", f"min({read} + w[e], 9)")
        update = f"changed(a[{self.pick(far, far, far, near)}] {operation} {operand})"
        body = self.pick(
            f"accept {update};",
            f"accept {update};",
            f"if (b[src] > 0) {{ accept {update}; }}",
            f"accept {update} || b[src] > 4;",
            f"accept {update} && b[src] > 0;",
            f"let moved = {update}; t |= moved;",
            f"if ({update}) {{ t = true; accept true; }} else {{ accept false; }}",
            f"if ({update}) {{ m[dst] = true; }}",
        )
        extra = self.steady(far) if self.chance(0.2) else ""
        condition = self.pick("", "", f"cond b[{near}] < 2; ")
        return f"edge functor f0(src, dst, e) {{ {condition}apply {{ {body} {extra} }} }}"

    # ------------------------------------------------------------ programs

    def program(self) -> str:
        if self.chance(0.3):
            initial = self.pick("int32(id) * 5 % 7", "20", "int32(id)")
            return _PROBLEM % initial + self.relaxation() + "\n" + self.settling_schedule()
        kinds = [self.chance(0.67) for _ in range(self.random.choice((1, 1, 2)))]
        functors = [
            self.closing(f"f{place}") if edges and self.chance(0.5) else self.functor(f"f{place}", edges)
            for place, edges in enumerate(kinds)
        ]
        calls = " ".join(self.call(f"f{place}", edges) for place, edges in enumerate(kinds))
        begin = f"frontier f = {self.pick('{ 0, 2 }', 'vertices', '{ 1 }')}; {self.pick('a[0] = 0;', '')}"
        loop = self.pick(
            calls,
            f"repeat (2) {{ {calls} }}",
            f"while (f) {{ {calls} {self.pick('u += 1;', '')} }}",
            f"t = true; while (t) {{ t = false; {calls} }}",
        )
        return _PROBLEM % "-1" + "\n".join(functors) + f"\nschedule {{ {begin} {loop} s += int32(size(f)); }}\n"

    def call(self, name: str, edges: bool) -> str:
        source = self.pick("vertices", "f", "f")
        over = self.pick("", "", "", ", over=in_edges", ", over=all_edges")
        if not edges:
            return self.pick(f"compute({source}, {name});", f"f = filter({source}, {name});", f"f = where({name});")
        return self.pick(
            f"f = advance({source}, {name}{over});",
            f"f = advance({source}, {name}{over});",
            f"advance({source}, {name}, to=none{over});",
            f"compute(edges, {name});",
        )

    def settling_schedule(self) -> str:
        over = self.pick("", "", "", ", over=in_edges", ", over=all_edges")
        begin = f"frontier f = {self.pick('{ 0, 2 }', 'vertices', '{ 1 }')}; {self.pick('', 'a[0] = 0; a[1] = 3;')}"
        loop = self.pick(
            f"while (f) {{ f = advance(f, f0{over}); }}",
            f"while (f) {{ f = advance(f, f0{over}); }}",
            f"while (f) {{ f = advance(f, f0{over}); u += 1; }}",
            f"while (f) {{ f = advance(vertices, f0{over}); }}",
            f"t = true; while (t) {{ t = false; advance(vertices, f0, to=none{over}); }}",
            "t = true; while (t) { t = false; compute(edges, f0); }",
            f"repeat (2) {{ f = advance(f, f0{over}); }}",
        )
        return f"schedule {{ {begin} {loop} }}\n"
