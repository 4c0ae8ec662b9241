"""E02xx: names and types."""

from __future__ import annotations

from gdsl.diagnostics.registry import Code

CODES: tuple[Code, ...] = (
    Code(
        "E0201",
        "undeclared name",
        "The name is not declared, or not at this place: locals and frontiers live until the end of their block.",
        "distanc[dst] = 1;                        # distance",
    ),
    Code(
        "E0202",
        "declared twice",
        "A name can be declared once in the problem and the functors, and once in the blocks around a place.",
        "vertex rank : float32;\nvertex rank : float64;",
    ),
    Code(
        "E0203",
        "name of a built-in",
        "Declared names must not hide what the language provides, such as `min`, `iteration` or `vertices`.",
        "vertex id : int32;",
    ),
    Code(
        "E0204",
        "wrong kind of name",
        (
            "The name is declared, but as something that cannot stand here, such as an array without an index or a "
            "functor as a value."
        ),
        "let x = distance + 1;                    # distance[v] + 1",
    ),
    Code(
        "E0205",
        "wrong type",
        (
            "The value has a type that does not become the wanted one by itself. Widening is implicit (int32 to "
            "int64, float32 to float64, integer to float); everything else is a cast that you write, like "
            "`int32(x)`."
        ),
        "vertex level : int32;\n…\nlevel[v] = 0.5;                          # int32(0.5)",
    ),
    Code(
        "E0206",
        "operation not defined for the type",
        (
            "Arithmetic needs numbers, `&& || !` need bool, `& | ^ ~ << >>` need integers (`& | ^` also take bool, and "
            "in the schedule `& | -` take sets of vertices)."
        ),
        "let x = true + 1;",
    ),
    Code(
        "E0207",
        "`/` on two integers",
        "`/` divides floats. Write `//` for the quotient truncated towards zero, or make one side a float.",
        "let half = degree / 2;                   # degree // 2, or float32(degree) / 2",
    ),
    Code(
        "E0208",
        "number out of range",
        "The literal does not fit the type that its place gives it.",
        "vertex small : int32 = 3000000000;",
    ),
    Code(
        "E0209",
        "arithmetic on ids",
        (
            "Vertex and edge ids are names, not numbers: they are compared and used as indices. Cast with "
            "`int32(v)` or `int64(v)` to calculate, and back with `vertex(x)`."
        ),
        "let next = v + 1;                        # vertex(int32(v) + 1)",
    ),
    Code(
        "E0210",
        "not a condition",
        "A condition is a bool (or, in the schedule, a frontier: true while it is not empty).",
        "while (count) { … }                      # count != 0",
    ),
    Code(
        "E0211",
        "wrong number of arguments",
        "The call gives more or fewer arguments than the function takes.",
        "let x = min(a);",
    ),
    Code(
        "E0212",
        "impossible cast",
        "Casts go between numbers, from bool to numbers, from numbers to bool, and between integers and ids.",
        "let x = vertex(0.5);",
    ),
    Code(
        "E0213",
        "wrong index",
        (
            "An array over vertices takes a vertex (or an integer) as its index, an array over edges an edge (or "
            "an integer)."
        ),
        "weight[src]                              # weight is over edges: weight[e]",
    ),
    Code(
        "E0214",
        "assignment to what cannot change",
        "Params, inputs, `let` names, loop variables and a functor's own parameters cannot be assigned.",
        "source = 0;",
    ),
    Code(
        "E0215",
        "name used at the wrong place",
        (
            "Some names mean something only at certain places: `id` in an array's initial value, `place`, `near` "
            "and `far` in edge functors, `iteration` in functors and in the schedule."
        ),
        "schedule { fill(rank, place); }",
    ),
    Code(
        "E0216",
        "effect inside an expression",
        (
            "`changed`, `fetch` and `cas` change data. They stand only as the whole value of `let`, `var`, an "
            "assignment, `accept`, a statement or a condition, or as an operand of `&& || !` there."
        ),
        "let x = 1 + fetch(count += 1);           # let old = fetch(count += 1); let x = 1 + old;",
    ),
    Code(
        "E0217",
        "effect where nothing may change",
        "`cond`, `value`, functions, initial values and `where` only read.",
        "cond changed(level[dst] min= 1);",
    ),
    Code(
        "E0218",
        "recursive function",
        "A function or procedure must not call itself, directly or through others.",
        "function f(x: int32) -> int32 { return f(x - 1); }",
    ),
    Code(
        "E0219",
        "missing return",
        "Every way through a function has to end with `return value;`.",
        "function f(x: int32) -> int32 { if (x > 0) { return 1; } }",
    ),
    Code(
        "E0220",
        "`break` outside a loop",
        "`break` leaves the innermost `while` or `for` of a functor or function; the schedule has none.",
        "apply { break; }",
    ),
    Code(
        "E0221",
        "statement not allowed here",
        (
            "The statement belongs to another part of a program: `accept` and writes to `apply`, `return` to "
            "functions, operators to the schedule."
        ),
        "function f(x: int32) -> int32 { accept true; return x; }",
    ),
    Code(
        "E0222",
        "value not known yet",
        (
            "An initial value may use literals, `id`, params, inputs, `num_vertices`, `num_edges` and degrees; a "
            "param's default only literals and constants; a `where` its own array, params and literals."
        ),
        "vertex a : int32 = b[id];                # b is no input",
    ),
    Code(
        "E0223",
        "signed with unsigned",
        "The two sides are a signed and an unsigned integer that neither type can hold; cast one of them.",
        "let x = a + b;                           # int64(a) + int64(b)",
    ),
    Code(
        "E0224",
        "words of a declaration that do not go together",
        "An `input` has no initial value; `where` belongs to inputs; a `param` is not `local`.",
        "input vertex site : bool = false;",
    ),
    Code(
        "E0225",
        "unknown type",
        "The types are bool, int32, uint32, int64, uint64, float32, float64, vertex and edge.",
        "vertex rank : float;                     # float32",
    ),
    Code(
        "E0226",
        "type not known",
        "The literal `none` or `inf` takes its type from its place, and this place gives none.",
        "let x = none;                            # let x : vertex = none;",
    ),
    Code(
        "E0227",
        "statement without effect",
        "A value that nothing uses. Only `cas(…)`, `changed(…)` and `fetch(…)` stand as statements.",
        "distance[v] + 1;",
    ),
    Code(
        "E0240",
        "call of a procedure that does not fit",
        (
            "A procedure takes one argument for each parameter, by place: a value, the name of an array of the same "
            "kind and type, or a set. It has no label; the operators in it may have one."
        ),
        "procedure clear(a: vertex int32) { fill(a, 0); }\n…\nclear(distance, 1);                  # clear(distance);",
    ),
    Code(
        "E0241",
        "import that cannot be done",
        (
            '`import name from "file";` takes functions, functors and procedures of another file, which stands beside '
            "the one that imports (in the working directory for text and standard input), or in a folder of "
            "`--import-path`, and neither leads back. The file must be in the folder of the program, links "
            "resolved, or in one of the import path: a program reads no other files of yours."
        ),
        'import mix from "common.gdsl";',
    ),
    Code(
        "E0242",
        "too many calls of procedures",
        (
            "Every call of a procedure becomes the statements of the procedure. There are at most 1,000 such calls, "
            "those in procedures counted as often as these are called, at most 50 levels deep, "
            "and all that they become has at most 30,000 names, numbers and operations (some 5,000 statements)."
        ),
        "procedure a() { b(); b(); }  procedure b() { c(); c(); }  …",
    ),
    Code(
        "E0243",
        "type declaration that cannot be",
        (
            "A type parameter has a class of types, `number`, `integer` or `real`, and one of these types as default. "
            "A program has at most three, since it is checked for every type of each. `wide` gives the type of a sum."
        ),
        "type weight_type : float = float32;       # type weight_type : number = float32;",
    ),
    Code(
        "E0244",
        "functors that are too long for so many operators",
        "Each operator is checked with all that its functor does. The functors of all operators, each counted as often "
        "as one runs it, have at most 400,000 names, numbers and operations, some 50,000 statements.",
        "compute(vertices, long); compute(vertices, long); …",
    ),
)
