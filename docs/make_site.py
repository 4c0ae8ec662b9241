"""Makes the site: `python docs/make_site.py [DIRECTORY]`, build/site without one; needs the extra `docs`.

The pages of the repository and the generated gallery are put into one folder, laid out as the repository is, so that
links lead to where they lead there. Sphinx makes the site of it; any warning, such as a link that leads nowhere or a
page that the navigation does not have, is an error, and so is a page that would load something from the network.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from docs.make_gallery import write_gallery  # noqa: E402

PAGES = ("*.md", "docs/*.md", "docs/lab/*.md", "samples/README.md")
_LOADED = re.compile(r"""<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\bsrc=["']?(?:https?:)?//|"""
                     r"""<link\b(?![^>]*rel=["']?canonical)[^>]*\bhref=["']?(?:https?:)?//|"""
                     r"""@import\s+["'(]*(?:url\()?["']?(?:https?:)?//|url\(["']?(?:https?:)?//""")  # fmt: skip


def collect(target: Path) -> None:
    """Put everything that Sphinx reads into `target`: the pages, the gallery, and how to make a site of them."""
    for pattern in PAGES:
        for page in sorted(ROOT.glob(pattern)):
            place = target / page.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(_linked(page), encoding="utf-8")
    shutil.copytree(DOCS / "pictures", target / "docs" / "pictures")
    write_gallery(target / "docs" / "gallery")
    readme = target / "README.md"
    navigation = (DOCS / "site" / "navigation.md").read_text(encoding="utf-8")
    (target / "index.md").write_text(readme.read_text(encoding="utf-8") + navigation, encoding="utf-8")
    readme.unlink()
    shutil.copytree(DOCS / "site", target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.md", "__pycache__"))


def _linked(page: Path) -> str:
    """The text of a page, in which links to samples lead to their pages in the gallery."""
    text = page.read_text(encoding="utf-8")
    if page.parent.name == "samples":
        text = re.sub(r"\]\((\w+)\.gdsl\)", r"](../docs/gallery/\1.md)", text)
    return text


def loaded_from_the_network(site: Path) -> list[str]:
    """The pages, styles and scripts of `site` that would load something from elsewhere."""
    texts = [path for path in sorted(site.rglob("*")) if path.suffix in (".html", ".css")]
    return [str(path.relative_to(site)) for path in texts if _LOADED.search(path.read_text(encoding="utf-8"))]


def main(target: Path) -> int:
    """Make the site in `target`, in place of an older one; its exit status."""
    if target.exists() and not (target / "objects.inv").exists():
        print(f"{target} is there, and is no site", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        collect(source)
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "auto", "-b", "html", "-E"]
        made = Path(folder) / "site"
        status = subprocess.run([*command, "-d", f"{folder}/doctrees", str(source), str(made)], check=False).returncode
        if status:
            return status
        loaded = loaded_from_the_network(made)
        if loaded:
            print("loads something from the network:", *loaded, sep="\n  ", file=sys.stderr)
            return 1
        if target.exists():
            shutil.rmtree(target)
        shutil.copytree(made, target, ignore=shutil.ignore_patterns(".buildinfo"))
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    print(f"{target}: {sum(1 for _ in target.rglob('*.html'))} pages, {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "site"))
