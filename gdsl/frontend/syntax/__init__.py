"""The syntax tree, and the typed tree that the checker makes of it: the same classes with more of their slots filled.

The parser fills everything but the slots listed here. The checker builds new nodes in which

- every `Expression.type` is set (None stays only on `Call`s that stand for an operator without a value, on set
  literals, operators, chains of sets, and names of frontiers, functors and option words);
- every `Name.symbol`, `Index.symbol`, `Call.symbol` and the `symbol` of declarations, functors, functions, `Let`, `For`
  and `FrontierDeclaration` is set; the same declaration gives the same `Symbol` everywhere, compare them with `==`;
- `Index.checked` says whether the index was computed and must be tested while the program runs;
- conversions are explicit: an implied widening or a cast (a `Call` named like a type) has become a `Convert`, so both
  operands of a `Binary` and both sides of an assignment have one type; a literal has the type of its place;
- an `Update` of a `var` has become the `Assign` that it stands for, a `ShortAssign` too; the others write elements and
  scalars, and have no effect in their values: a `Let` before them has;
- calls of operators in the schedule (`advance`, `filter`, `where`, `compute`, `neighbor_reduce`, `neighbor_vote`,
  `intersect`) have become `OperatorCall`s; `size`, `swap` and `fill` stay `Call`s whose symbol is a built-in;
- functors without a name (`Nameless`) have become `Functor`s of the program;
- calls of procedures have become the statements that they stand for, each with its `Span.calls`;
- reductions over arrays in the schedule (`sum(a)`) have become `Reduced`s;
- `|`, `&` and `-` between sets have become `SetChain`s;

A program with mistakes never leaves the checker, so later stages may rely on this. Spans of statements and
of calls are unique within a program and identify them.
"""

from __future__ import annotations

from gdsl.frontend.syntax.base import Node, Symbol, SymbolKind, children, walk
from gdsl.frontend.syntax.broken import Broken
from gdsl.frontend.syntax.declarations import (
    Declaration,
    DeclarationKind,
    Function,
    FunctionParameter,
    Functor,
    FunctorForm,
    KnobArgument,
    ParameterName,
    Program,
    Requirement,
    TuneEntry,
    TypeDeclaration,
)
from gdsl.frontend.syntax.expressions import (
    Argument,
    Binary,
    Boolean,
    Call,
    Chain,
    CompareAndSwap,
    Conditional,
    Convert,
    Expression,
    Index,
    Infinity,
    Link,
    Name,
    NoneLiteral,
    Number,
    OperatorCall,
    OperatorKind,
    Pair,
    PairPart,
    Reduced,
    SetChain,
    SetLink,
    SetLiteral,
    Unary,
    Unknown,
    UpdateValue,
)
from gdsl.frontend.syntax.graphs import Contract, GraphDeclaration, On, SameGraph, Subgraph
from gdsl.frontend.syntax.kept_sets import (
    BucketsDeclaration,
    HistoryDeclaration,
    LevelLoop,
    Member,
    Method,
    Numbering,
    Popped,
)
from gdsl.frontend.syntax.nameless import Nameless
from gdsl.frontend.syntax.naming import names_declared_in, words_of
from gdsl.frontend.syntax.procedures import Import, ImportedName, Procedure, ProcedureParameter
from gdsl.frontend.syntax.statements import (
    Accept,
    Assign,
    Break,
    ExpressionStatement,
    For,
    ForIn,
    FrontierDeclaration,
    If,
    Let,
    LoopName,
    Repeat,
    Return,
    ShortAssign,
    Statement,
    TypeName,
    Update,
    While,
)

__all__ = [
    "Broken",
    "Accept",
    "Argument",
    "Assign",
    "Binary",
    "Boolean",
    "Break",
    "BucketsDeclaration",
    "Call",
    "Chain",
    "CompareAndSwap",
    "Conditional",
    "Contract",
    "Convert",
    "Declaration",
    "DeclarationKind",
    "Expression",
    "ExpressionStatement",
    "For",
    "ForIn",
    "FrontierDeclaration",
    "Function",
    "FunctionParameter",
    "Functor",
    "FunctorForm",
    "GraphDeclaration",
    "HistoryDeclaration",
    "If",
    "Import",
    "ImportedName",
    "Index",
    "Infinity",
    "KnobArgument",
    "Unknown",
    "Let",
    "LevelLoop",
    "Link",
    "LoopName",
    "Member",
    "Method",
    "Name",
    "Nameless",
    "Node",
    "NoneLiteral",
    "Number",
    "On",
    "Numbering",
    "OperatorCall",
    "OperatorKind",
    "Pair",
    "PairPart",
    "ParameterName",
    "Popped",
    "Procedure",
    "ProcedureParameter",
    "Program",
    "Reduced",
    "Repeat",
    "Requirement",
    "Return",
    "SameGraph",
    "SetChain",
    "SetLink",
    "SetLiteral",
    "ShortAssign",
    "Statement",
    "Subgraph",
    "Symbol",
    "SymbolKind",
    "TuneEntry",
    "TypeDeclaration",
    "TypeName",
    "Unary",
    "Update",
    "UpdateValue",
    "While",
    "children",
    "names_declared_in",
    "walk",
    "words_of",
]
