"""The page of a profile as a browser shows it: what is drawn, that nothing is asked for, and that no text is markup."""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

import gdsl
from gdsl.backends import registry
from gdsl.profiling import Profile
from gdsl.profiling.document import digest_of
from gdsl.profiling.page import page

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine"),
    pytest.mark.skipif(not registry.availability("cpu").ok, reason="no C++ compiler on this machine"),
]
EVIL = "</script><script>console.error('evil')</script><img src=x onerror=\"console.error('evil')\"><!--<script>"


class Drawn(HTMLParser):
    """The elements of a page and their texts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self._script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._script = tag in ("script", "style")
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        self._script = False

    def handle_data(self, data: str) -> None:
        if not self._script:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def count(self, tag: str, kind: str = "") -> int:
        return sum(
            name == tag and (not kind or kind in found.get("class", "").split()) for name, found in self.elements
        )


def browse(place: Path, text: str, *options: str) -> str:
    """What the browser prints of a page; it says nothing of its own, and looks for no other machine."""
    file = place / "page.html"
    file.write_text(text, encoding="utf-8")
    words = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions"]
    words += [f"--user-data-dir={place / 'user'}", "--host-resolver-rules=MAP * ~NOTFOUND", "--hide-scrollbars"]
    words += ["--virtual-time-budget=4000", "--enable-logging=stderr", "--v=0", "--window-size=1280,1800", *options]
    done = subprocess.run([*words, file.as_uri()], capture_output=True, text=True, timeout=120, check=False)
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert not said, said
    return done.stdout


def drawn(place: Path, text: str) -> Drawn:
    """The page after its script has run."""
    found = Drawn(browse(place, text, "--dump-dom"))
    assert found.count("section") >= 4, "the script has drawn the page"
    return found


@pytest.fixture(scope="module")
def graph() -> gdsl.Graph:
    return gdsl.Graph.generate("rmat:9")


@pytest.fixture(scope="module")
def hops(graph) -> Profile:
    return gdsl.profile("bfs", graph, source=1, backend="cpu", graph_name="rmat:9", repeat=3)


@pytest.fixture(scope="module")
def shown(hops, tmp_path_factory) -> Drawn:
    return drawn(tmp_path_factory.mktemp("page"), hops.html())


def test_everything_of_a_run_is_drawn(hops, shown):
    document, found = hops.as_document(), shown
    records = document["records"]
    assert found.count("rect", "bar") == records, "a bar for each record"
    assert found.count("circle", "frontier") == found.count("circle", "edges") == records
    assert found.count("rect", "way") == records
    ways = Counter(document["trace"]["direction"])
    assert {way: found.count("rect", way) for way in ways} == ways
    assert found.count("rect", "heat") >= records
    for words in (
        "bfs on rmat:9",
        "median of 3 runs",
        "512 vertices",
        "param source 1",
        "Generated C++",
        "#pragma omp",
    ):
        assert words in found.text, words
    for words in (*document["plan"].splitlines()[:4], "one of several writers wins", "graph.offsets", "not unique"):
        assert " ".join(words.split()) in found.text, words
    assert next(why for why in document["trace"]["why"] if why.startswith("pull")) in found.text
    hot = [at for at, (tag, kinds) in enumerate(found.elements) if "hot" in kinds.get("class", "").split()]
    assert len(hot) == 1 and found.count("span", "warm") >= 5, "the line of the call, and those of its functor"


def test_bars_are_as_high_as_their_times(hops, shown):
    trace = hops.as_document()["trace"]
    bars = [
        float(kinds["height"]) for tag, kinds in shown.elements if tag == "rect" and "bar" in kinds["class"].split()
    ]
    scale = max(bars) / max(trace["time_ms"])
    assert bars == pytest.approx([time * scale for time in trace["time_ms"]], abs=0.01)


def test_a_page_asks_for_nothing(hops):
    text = hops.html()
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src &#39;none&#39;;") and "unsafe" not in policy
    code = text.replace(json.dumps(hops.as_document()["program"]["text"]), "")
    assert set(re.findall(r"https?://[^\s\"'<>\\]*", code)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(
        r"<(link|img|iframe|object|embed|base|form)\b|\b(src|href)=|@import|url\(|innerHTML|eval\(", text
    )


def test_texts_are_never_markup(hops, tmp_path):
    """Whatever the program, the names of files, graphs and params, and all that a file of JSON may say."""
    document = hops.as_document()
    odd = json.loads(
        json.dumps(document), object_hook=lambda found: {name: _odd(value) for name, value in found.items()}
    )
    for name in ("kind", "backend"):
        odd[name] = document[name]
    odd["trace"] = {**document["trace"], "why": [EVIL] * document["records"]}
    odd["facts"], odd["tuned"] = [[EVIL, EVIL]], {"file": EVIL, "knobs": [EVIL], "used": False, "reason": EVIL}
    odd["program"] = {"name": "bfs", "file": EVIL, "text": f"# {EVIL}\n{document['program']['text']}", "imports": []}
    odd["params"] = {EVIL: EVIL}
    for operator in odd["operators"]:
        operator["file"] = operator["functor"]["file"] = ""
    odd["digest"] = digest_of(odd)
    text = page([odd], None)
    found = drawn(tmp_path, text)
    assert found.count("script") == 2 and found.count("img") == 0
    assert found.text.count(" ".join(EVIL.split())) > 10
    (tmp_path / "odd.html").write_text(text)
    assert Profile.read(tmp_path / "odd.html").as_document() == odd


def _odd(value):
    return EVIL if isinstance(value, str) else value


def test_a_comment_in_a_program_cannot_end_the_script(graph, tmp_path):
    text = f"# {EVIL}\nprogram p; problem {{ vertex x : int32 = 0; }}\n"
    text += "vertex functor one(v) { apply { x[v] = 1; } }\nschedule { compute(vertices, one); }\n"
    profile = gdsl.profile(text, graph, backend="reference", graph_name=EVIL)
    found = drawn(tmp_path, profile.html())
    assert found.count("script") == 2 and " ".join(EVIL.split()) in found.text
    assert found.count("rect", "bar") == 1


def test_two_runs_are_drawn_side_by_side(hops, graph, tmp_path):
    pushed = gdsl.compile("bfs", tune=["visit.direction=push"])
    other = gdsl.profile(pushed, graph, source=1, backend="reference", graph_name="rmat:9")
    found = drawn(tmp_path, hops.compare(other).html())
    assert found.count("rect", "bar") == 2 * hops.as_document()["records"]
    assert found.count("section") and found.count("pre", "diff") == 1 and found.count("span", "gone") > 10
    for words in ("What differs", "knobs none visit.direction=push", "backend cpu reference", "b against a"):
        assert words in found.text, words


def test_many_passes_share_columns(hops, tmp_path):
    document = copy.deepcopy(hops.as_document())
    times = -(-1000 // document["records"])
    for name, column in document["trace"].items():
        document["trace"][name] = (column * times)[:1000]
    document["trace"]["pass"] = list(range(1, 1001))
    found = drawn(tmp_path, Profile(document).html())
    assert found.count("rect", "bar") == 200 and "A column stands for 5 passes; there are 1,000." in found.text


@pytest.mark.sampled(2)
@pytest.mark.parametrize("width", [420, 1600])
def test_a_picture_of_it_has_something_to_show(hops, tmp_path, width):
    picture = tmp_path / "page.png"
    browse(tmp_path, hops.html(), f"--window-size={width},1400", f"--screenshot={picture}")
    assert picture.stat().st_size > 40_000
