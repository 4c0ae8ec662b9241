"""Builds a wheel from a program: texts, kernels, answer, metadata, and the file."""

from __future__ import annotations

import base64
import hashlib
import io
import itertools
import json
import os
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from gdsl import files
from gdsl.api.loading import load, types_of
from gdsl.api.program import Program
from gdsl.backends.cuda import nvrtc
from gdsl.diagnostics import printable
from gdsl.files import cannot_write
from gdsl.imports import file_meant, same_file, with_imports, with_other_paths
from gdsl.ir import nodes as ir
from gdsl.packages import FORMAT, GROUP, IMPORTED, MANIFEST, PROGRAMS, settings
from gdsl.program_files import SUFFIX
from gdsl.records import dataclass
from gdsl.resources import filled_text
from gdsl.source import Source
from gdsl.types import TYPE_CLASSES
from gdsl.version import __version__
from gdsl.wheels import kernels, texts
from gdsl.wheels.answers import answer_of
from gdsl.wheels.loading import ANSWERS
from gdsl.wheels.texts import check_name, check_program, check_version

_WHEEL = f"Wheel-Version: 1.0\nGenerator: gdsl {__version__}\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
"""Machine code is for GPUs, whichever system they are in."""
_UNUSUAL = re.compile(r"[^A-Za-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Options:
    """What a package is built with: its name and version, the architectures of its kernels (none: it has no kernels),
    the arguments of its test, and the words of `--tune` and the types of `-t` that its program is compiled with.
    `all_types`: its kernels are for every type that the type parameters admit."""

    name: str
    version: str
    architectures: tuple[str, ...]
    arguments: Mapping[str, Any]
    tune: tuple[str, ...] = ()
    types: Mapping[str, str] | None = None
    all_types: bool = False


def architectures_of(words: Sequence[str]) -> tuple[str, ...]:
    """The architectures of `--arch`, which may be repeated or have several between commas, each once. Raises E0904."""
    names = [name for word in words for name in word.split(",")] or kernels.DEFAULT_ARCHITECTURES
    return tuple(sorted({nvrtc.normal_architecture(name) for name in names}))


def target_of(options: Options, directory: Path, force: bool) -> Path:
    """The file to write, after all that can be checked before the program is compiled. Raises E0915 for names, E0903
    without NVRTC, and E0911 if the file cannot be written, or exists and `force` is not set."""
    check_name(options.name)
    check_version(options.version)
    target = directory / f"{options.name}-{options.version}-py3-none-any.whl"
    if not directory.is_dir():
        fix = "name another one with -o" if os.path.lexists(directory) else "create it, or name another one with -o"
        raise cannot_write(target, f"there is no directory {printable(str(directory))}", fix)
    if os.path.lexists(target) and not force:
        raise cannot_write(target, "the file exists", "have it replaced by --force, or choose another --version")
    try:
        files.check_writable(target)
    except OSError as error:
        raise cannot_write(target, error.strerror or str(error)) from None
    if options.architectures:
        kernels.require_compiler()
    return target


def build(program: Program, options: Options, target: Path) -> list[str]:
    """Write the wheel of `program` to `target`, whole or not at all, and return the paths in it.

    Raises E0915 if the program has a name that Python cannot import, or no arguments for its test are found, what
    `kernels.compiled` raises, and E0911.
    """
    content = content_of(program, options)
    data = _wheel_of(content, f"{options.name}-{options.version}.dist-info")
    try:
        with files.whole_file(target) as file:
            file.write(data)
    except OSError as error:
        raise cannot_write(target, error.strerror or str(error)) from None
    return list(content)


def content_of(program: Program, options: Options) -> dict[str, bytes]:
    """The files of the wheel by their paths, without its record."""
    name, package = program.name, options.name
    check_program(name)
    answer = answer_of(program, options.arguments)
    packed = _sources(program.text, name)
    built = kernels.NONE
    if options.architectures:
        built = kernels.compiled(list(_instances(program, options)), options.architectures)
    manifest: dict[str, Any] = {"format": FORMAT, "gdsl": __version__, "programs": {name: _settings(program, options)}}
    manifest.update(built.manifest)
    manifest["digest"] = hashlib.sha256(_json(manifest)).hexdigest()
    metadata = {
        "package": package,
        "version": options.version,
        "summary": texts.summary_of(program),
        "gdsl": __version__,
    }
    info = f"{package}-{options.version}.dist-info"
    return {
        f"{package}/__init__.py": texts.module(program, package, options.version).encode(),
        f"{package}/__init__.pyi": texts.stub(program).encode(),
        f"{package}/py.typed": b"",
        f"{package}/test_{name}.py": texts.test(program, package).encode(),
        f"{package}/{MANIFEST}": _json(manifest),
        f"{package}/{ANSWERS}/{name}.json": _json(answer),
        **{f"{package}/{PROGRAMS}/{path}": text.encode() for path, text in packed.items()},
        **{f"{package}/{path}": data for path, data in built.files.items()},
        f"{info}/METADATA": filled_text("templates", "package", "METADATA.in", **metadata).encode(),
        f"{info}/WHEEL": _WHEEL.encode(),
        f"{info}/entry_points.txt": f"[{GROUP}]\n{package} = {package}\n".encode(),
    }


def _sources(source: Source, name: str) -> dict[str, str]:
    """The texts by their paths in the folder of programs: the program `name` itself, and in a folder below it the files
    that it imports from, wherever they come from: other folders, samples, or other packages."""
    source = with_imports(source)
    imported = source.imported or ()
    files: dict[str, str] = {}
    for each in imported:
        stem = _UNUSUAL.sub("_", os.path.basename(each.name).removesuffix(SUFFIX)) or "file"
        names = (f"{stem}{SUFFIX}" if number == 1 else f"{stem}_{number}{SUFFIX}" for number in count(1))
        files[each.name] = next(candidate for candidate in names if candidate not in files.values())
    texts = {f"{name}{SUFFIX}": _with_paths(source, source, files, f"{IMPORTED}/")}
    texts.update((f"{IMPORTED}/{files[each.name]}", _with_paths(source, each, files, "")) for each in imported)
    return texts


def _with_paths(program: Source, importer: Source, files: dict[str, str], prefix: str) -> str:
    return with_other_paths(importer, partial(_path, program, importer, files, prefix))


def _path(program: Source, importer: Source, files: dict[str, str], prefix: str, path: str) -> str:
    meant = file_meant(program, importer, path)
    same = next((file for name, file in files.items() if same_file(name, meant)), None)
    return path if same is None else prefix + same


def _instances(program: Program, options: Options) -> Iterator[ir.Program]:
    """The program, and with `all_types` its other instances."""
    yield program.ir
    words, own_types = (*settings(program.text.name)[0], *options.tune), types_of(program.ir, {})
    names = [each.name for each in program.ir.types] if options.all_types else []
    admitted = [TYPE_CLASSES[each.class_name] for each in program.ir.types]
    for chosen in itertools.product(*admitted) if names else ():
        types = tuple(zip(names, chosen, strict=True))
        if types != own_types:
            yield load(program.text, words, types)


def _settings(program: Program, options: Options) -> dict[str, Any]:
    """How the program is compiled: its knobs and chosen types, those included that it had in another package."""
    words, types = settings(program.text.name)
    chosen = {each: type_.name for each, type_ in types_of(program.ir, {})} if options.types or types else {}
    return {"tune": [*words, *options.tune], "types": chosen}


def _json(value: object) -> bytes:
    return json.dumps(value, indent=1, sort_keys=True).encode() + b"\n"


_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time of a file in a ZIP archive."""
_MODE = 0o100644 << 16


def _wheel_of(files: Mapping[str, bytes], dist_info: str) -> bytes:
    """A wheel with these files, by path, of which those of `dist_info` come last; with its RECORD (PEP 427)."""
    names = sorted(files, key=lambda name: (name.startswith(dist_info), name))
    record = f"{dist_info}/RECORD"
    rows = [f"{name},{_digest(files[name])},{len(files[name])}" for name in names]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in names:
            _write(archive, name, files[name])
        _write(archive, record, "".join(f"{row}\n" for row in [*rows, f"{record},,"]).encode())
    return buffer.getvalue()


def _write(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.external_attr, info.compress_type = _MODE, zipfile.ZIP_DEFLATED
    info.create_system = 3
    archive.writestr(info, data)


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"
