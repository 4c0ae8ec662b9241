"""Packs the extension: `python editors/vscode/package.py [FILE]` writes gdsl-VERSION.vsix, or FILE.

A .vsix is a ZIP file with the extension below `extension/`, a manifest, and a list of media types. `node_modules` is
packed if it is there.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

ROOT = Path(__file__).parent
_FILES = ("package.json", "extension.js", "language-configuration.json", "README.md", "syntaxes")
_DATE = (2020, 1, 1, 0, 0, 0)
"""The same for all, so that equal files make equal packages."""
_TYPES = {
    "json": "application/json",
    "js": "application/javascript",
    "md": "text/markdown",
    "vsixmanifest": "text/xml",
    "txt": "text/plain",
    "map": "application/json",
    "ts": "text/plain",
    "yml": "text/plain",
}


def manifest(package: dict[str, object]) -> str:
    """The manifest of the package."""
    name, version, publisher = (quoteattr(str(package[key])) for key in ("name", "version", "publisher"))
    engine = quoteattr(str(package["engines"]["vscode"]))  # type: ignore[index]
    categories = escape(",".join(map(str, package["categories"])))  # type: ignore[call-overload]
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={name} Version={version} Publisher={publisher}/>
    <DisplayName>{escape(str(package["displayName"]))}</DisplayName>
    <Description xml:space="preserve">{escape(str(package["description"]))}</Description>
    <Categories>{categories}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value={engine}/>
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def _content_types() -> str:
    rows = "".join(f'<Default Extension=".{name}" ContentType="{kind}"/>' for name, kind in _TYPES.items())
    head = '<?xml version="1.0" encoding="utf-8"?>\n'
    return f'{head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{rows}</Types>\n'


def _contents() -> Iterator[Path]:
    for name in (*_FILES, "node_modules"):
        path = ROOT / name
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (each for each in found if each.is_file() and ".bin" not in each.parts)


def pack(target: Path) -> None:
    """Write the package."""
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        parts = {"extension.vsixmanifest": manifest(package), "[Content_Types].xml": _content_types()}
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), text)
        for path in _contents():
            info = zipfile.ZipInfo(f"extension/{path.relative_to(ROOT).as_posix()}", _DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, path.read_bytes())


if __name__ == "__main__":
    version = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["version"]
    wanted = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / f"gdsl-{version}.vsix"
    pack(wanted)
    print(wanted)
