"""Puts what a program imports into its syntax tree: functions, functors and procedures of other files.

What is imported brings along what it uses of its own file, under names that do not clash; all other names are the
importer's, and are looked up there.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from gdsl.diagnostics import Diagnostic, GdslError, Label, printable
from gdsl.frontend import syntax
from gdsl.frontend.parser import parse_all
from gdsl.frontend.syntax import with_names, with_spans
from gdsl.frontend.vocabulary import closest
from gdsl.imports import MOST_FILES, file_meant, is_allowed, likely_file, read_import, same_file
from gdsl.packages import is_word, why_missing
from gdsl.source import Origin, Source, Span

Definition = syntax.Function | syntax.Functor | syntax.Procedure


@dataclass(slots=True)
class _File:
    """A file that is imported from. `imports` has by name the file and the name there that it means."""

    source: Source
    definitions: dict[str, Definition] = field(default_factory=dict)
    imports: dict[str, tuple[_File, str]] = field(default_factory=dict)
    data: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    broken: bool = False
    lost: set[str] = field(default_factory=set)
    """Names whose import failed; no further messages mention them."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A tree with what it imports; `lost` are names that could not be imported; no further messages mention them."""

    tree: syntax.Program
    diagnostics: tuple[Diagnostic, ...]
    lost: frozenset[str]


def with_definitions(tree: syntax.Program, source: Source) -> Imported:
    """`tree` with the definitions that it imports; `source` has the files (`gdsl.imports.with_imports`)."""
    importer = _Importer(source, tree)
    definitions_used = importer.definitions_used()
    tree = dataclasses.replace(
        tree,
        functions=(*tree.functions, *(node for node in definitions_used if isinstance(node, syntax.Function))),
        functors=(*tree.functors, *(node for node in definitions_used if isinstance(node, syntax.Functor))),
        procedures=(*tree.procedures, *(node for node in definitions_used if isinstance(node, syntax.Procedure))),
        imports=(),
    )
    return Imported(tree, tuple(importer.diagnostics), frozenset(importer.lost))


class _Importer:
    def __init__(self, source: Source, tree: syntax.Program) -> None:
        self.source = source
        self.tree = tree
        self.diagnostics: list[Diagnostic] = []
        self.lost: set[str] = set()
        self._files: list[_File] = []
        self._names: dict[tuple[str, str], str] = {}
        """By file and name there what a definition is called in the program."""

    def definitions_used(self) -> list[Definition]:
        """All definitions that the program needs of other files, under the names that they have in it."""
        root = _File(self.source)
        self._read_imports(root, self.tree.imports, (root,))
        waiting: list[tuple[_File, str]] = []
        for name in root.imports:
            file, there = self._resolved(root, name)
            if there in file.definitions:
                self._names.setdefault((file.source.name, there), name)
                waiting.append((file, there))
        self.lost |= root.lost
        words = syntax.all_names(self.tree) | set(root.imports)
        done: dict[tuple[str, str], Definition] = {}
        for file, there in waiting:
            key = (file.source.name, there)
            if key in done:
                continue
            node = file.definitions[there]
            names = {there: self._names[key]}
            for used, target in self._names_used(file, node):
                names[used] = self._name_of(target, words)
                waiting.append(target)
            for used in file.lost:
                names[used] = self._lost_name(used, words)
            done[key] = with_names(node, names)
        return list(done.values())

    def _name_of(self, target: tuple[_File, str], words: set[str]) -> str:
        """What a definition is called that only other imported ones use."""
        file, there = target
        key = (file.source.name, there)
        if key not in self._names:
            used_names = words | set(self._names.values())
            others = used_names.union(*(each.words for each in self._files))
            forms = (f"{there}_{number}" for number in count(2))
            self._names[key] = there if there not in used_names else next(form for form in forms if form not in others)
        return self._names[key]

    def _lost_name(self, name: str, words: set[str]) -> str:
        """A name for an undeclared name of another file, so that it does not refer to the importer's."""
        used_names = words.union(*(each.words for each in self._files))
        form = next(form for form in (f"{name}_{number}" for number in count(2)) if form not in used_names)
        self.lost.add(form)
        return form

    def _names_used(self, file: _File, node: Definition) -> Iterator[tuple[str, tuple[_File, str]]]:
        """The names of the file that a definition uses, each with what it means."""
        own = syntax.names_declared_in(node)
        for part in syntax.walk(node):
            if not isinstance(part, syntax.Call | syntax.Name):
                continue
            name = part.function if isinstance(part, syntax.Call) else part.name
            if name in own or name == node.name or (name not in file.definitions and name not in file.imports):
                continue
            imported_file, there = self._resolved(file, name)
            if there in imported_file.definitions:
                yield name, (imported_file, there)

    def _resolved(self, file: _File, name: str) -> tuple[_File, str]:
        while name not in file.definitions and name in file.imports:
            file, name = file.imports[name]
        return file, name

    # ------------------------------------------------------------ files

    def _read_imports(self, file: _File, imports: tuple[syntax.Import, ...], around: tuple[_File, ...]) -> None:
        """Look up what `file` imports; `around` are the files that led to it, itself the last."""
        for each in imports:
            read = self._file(each, file, around)
            for name in each.names:
                if name.name in file.imports:
                    message = f"`{name.name}` is imported twice"
                    self.diagnostics.append(Diagnostic("E0202", message, name.span, fix="leave one of them out"))
                elif read is not None and self._has(read, name, each):
                    file.imports[name.name] = (read, name.name)
                else:
                    file.lost.add(name.name)

    def _has(self, file: _File, name: syntax.ImportedName, where: syntax.Import) -> bool:
        if name.name in file.definitions or name.name in file.imports:
            return True
        if not file.broken and name.name not in file.lost:
            names = [*file.definitions, *file.imports]
            near = closest(name.name, names)
            enumeration = ", ".join(f"`{each}`" for each in names)
            notes = [f"it has {enumeration}" if names else "it has none at all"]
            if name.name in file.data:
                notes.insert(0, f"`{name.name}` is data there, which every program declares for itself")
            message = f"`{where.path}` has no function, functor or procedure `{name.name}`"
            fix = f"did you mean `{near}`?" if near else None
            self.diagnostics.append(Diagnostic("E0241", message, name.span, notes=tuple(notes), fix=fix))
        return False

    def _file(self, node: syntax.Import, importer: _File, around: tuple[_File, ...]) -> _File | None:
        """The file of an import, read at the first one; None after a mistake."""
        name = file_meant(self.source, importer.source, node.path)
        circle = next((at for at, each in enumerate(around) if same_file(each.source.name, name)), None)
        if circle is not None and os.path.isfile(name):
            shown = " → ".join(printable(each.source.name) for each in (*around[circle:], around[circle]))
            self._refuse(node, f"these imports lead back to where they began: {shown}")
            return None
        loaded = next((each for each in self._files if same_file(each.source.name, name)), None)
        if loaded is not None:
            return loaded
        source = self._source(node, name)
        if source is None:
            return None
        file = _File(source)
        self._files.append(file)
        self._parse(file, node, around)
        return file

    def _source(self, node: syntax.Import, name: str) -> Source | None:
        imported = next((each for each in self.source.imported or () if same_file(each.name, name)), None)
        if imported is not None:
            return imported
        if len(self._files) >= MOST_FILES:
            self._refuse(node, f"more than {MOST_FILES} files are imported from")
            return None
        try:
            return read_import(self.source, name)
        except GdslError as error:
            if "\0" not in name and not is_allowed(self.source, name):
                note = "these are the folder of the program and what is within it, links resolved, and the import path"
                way_out = "add the folder of the file: `--import-path DIR`, in Python `import_path=`"
                message = f"`{node.path}` is outside of the folders that this program may import from"
                self._refuse(node, message, note, way_out)
                return None
            if is_word(node.path):
                what, notes, fix = why_missing(node.path)
                self._refuse(node, f"cannot import from `{node.path}`: {what}", notes[0], fix)
                return None
            where = os.path.dirname(os.path.abspath(name))
            has_suffix = os.path.isfile(f"{name}.gdsl")
            fix = f'write `"{node.path}.gdsl"`' if has_suffix else likely_file(node.path, where)
            why = error.diagnostics[0].message
            self._refuse(node, f"cannot import from `{node.path}`: {why}", f"looked in {printable(where)}", fix)
            return None

    def _refuse(self, node: syntax.Import, message: str, note: str | None = None, fix: str | None = None) -> None:
        notes = (note,) if note is not None else ()
        self.diagnostics.append(Diagnostic("E0241", message, node.path_span, notes=notes, fix=fix))

    def _parse(self, file: _File, asked: syntax.Import, around: tuple[_File, ...]) -> None:
        name = file.source.name
        parsed = parse_all(file.source, "library")
        file.broken = bool(parsed.diagnostics)
        if file.broken and not (parsed.tree and _declares(parsed.tree)):  # no program perhaps: its text is not shown
            message = f"cannot import from `{asked.path}`: nothing that it declares can be read"
            fix = f"if it is a gdsl program, see what `gdslc check {printable(name)}` says"
            self._refuse(asked, message, fix=fix)
            return
        self.diagnostics += (_in_its_file(each, name) for each in parsed.diagnostics)
        if parsed.tree is None:
            return
        tree = with_spans(parsed.tree, lambda span: _in_file(span, name))
        definitions: tuple[Definition, ...] = (*tree.functions, *tree.functors, *tree.procedures)
        for node in definitions:
            former = file.definitions.setdefault(node.name, node)
            if former is not node:
                labels = (Label(former.name_span, "the first"),)
                message = f"`{node.name}` is declared twice"
                self.diagnostics.append(Diagnostic("E0202", message, node.name_span, labels, fix="rename one of them"))
        file.data = frozenset([node.name for node in tree.declarations] + [node.name for node in tree.types])
        file.words = frozenset(syntax.all_names(tree))
        self._read_imports(file, tree.imports, (*around, file))


def _declares(tree: syntax.Program) -> bool:
    return bool(tree.functions or tree.functors or tree.procedures or tree.declarations or tree.imports)


def _in_file(span: Span, name: str) -> Span:
    return dataclasses.replace(span, origin=Origin(name))


def _in_its_file(diagnostic: Diagnostic, name: str) -> Diagnostic:
    """A mistake of syntax, in its file."""
    if diagnostic.span is None:
        return dataclasses.replace(diagnostic, place=name)
    labels = tuple(Label(_in_file(label.span, name), label.text) for label in diagnostic.labels)
    return dataclasses.replace(diagnostic, span=_in_file(diagnostic.span, name), labels=labels)
