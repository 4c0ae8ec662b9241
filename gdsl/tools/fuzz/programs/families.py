"""What real algorithms do, as programs with choices: `$[a $| b $| c$]` is mostly its first form, which is right."""

from __future__ import annotations

import random
import re

_CHOICE = re.compile(r"\$\[(.*?)\$\]", re.DOTALL)

_DATA = """problem {
    vertex d : int32 = $[int32(id) * 5 % 7 $| -1 $| 1000 $| inf $| int32(id)$];
    vertex b : int32 = int32(id) * 3 % 4;
    vertex c : int32;
    vertex m : bool;
    vertex q : vertex = $[id $| none$];
    vertex x : float32 = float32(int32(id) * 3 % 5) $[/ 4.0 $| * 0.1$];
    edge w : int32 = int32(id) % 3;
    edge h : $[float32 = float32(int32(id) % 4) / 4.0 $| float64 = 0.1$];
    scalar go : bool$[$| = true$];
    scalar n : int32;
    scalar s : float64;
    scalar r : vertex;
}
"""
_FRONTIER = "frontier f = $[{ 0 } $| vertices $| { 0, 1 } $| { 2 }$];"
_LOOPS = (
    _FRONTIER + " while (f) { f = advance(f, g$[$|, over=in_edges $|, over=all_edges$]); $[$| n += 1; $| compute(f, "
    "tally);$] }",
    _FRONTIER + " while (f) { f = advance($[f $| vertices$], g); }",
    _FRONTIER + " go = true; while (go) { go = false; $[advance(vertices, g, to=none); $| f = advance(vertices, g); $| "
    "compute(edges, g);$] $[$| compute(vertices, tally);$] }",
    _FRONTIER + " repeat ($[2 $| 1 $| 5$]) { f = advance(f, g); }",
    "frontier f = vertices; advance(vertices, g, to=none); $[$| compute(vertices, tally);$]",
)
_TALLY = "vertex functor tally(v) { $[$| cond d[v] > 1;$] apply { $[n += 1 $| n max= d[v] $| n += d[v] $| m[v] = true $| "
_TALLY += "go = d[v] > 3 $| c[v] = d[v] $| s += x[v]$]; } }\n"

RELAX = """edge functor g(src, dst, e) { $[$| cond b[src] > 0; $| cond m[dst];$] apply {
    $[accept changed(d[dst] min= d[src] + w[e]);
    $| accept changed(d[dst] max= min(d[src], w[e]));
    $| accept changed(d[far] min= d[near] + $[1 $| -1$]);
    $| if (changed(d[dst] min= d[src] + w[e])) { $[go = true; $| go |= true; $| m[dst] = true; $| n += 1;$] accept true; } else { accept false; }
    $| let low = changed(d[dst] min= max(d[src], w[e])); go |= low; accept low;
    $| accept changed(x[dst] min= x[src] + h32[e]);
    $| accept changed(x[dst] max= min(x[src], float32(w[e])));
    $| accept changed(q[dst] min= q[src]);
    $| accept changed(d[dst] |= d[src]);
    $| m[dst] |= m[src]; accept changed(d[dst] min= d[src]);
    $| accept changed(d[dst] min= d[src] + w[e] * b[src]);
    $| accept changed(d[dst] min= d[src] >> 1);
    $| accept changed(d[dst] min= w[e] > 0 ? d[src] : 3);
    $| accept changed(d[dst] min= $[d[src] % 3 $| d[src] * d[src] $| abs(d[src]) $| 6 - d[src] $| d[src] // 2$]);
    $| accept changed(x[dst] min= $[sqrt(x[src]) $| 1.0 / x[src] $| x[src] * x[src] $| -x[src] $| floor(x[src])$]);
    $]
} }
"""
HOOK = """edge functor g(src, dst, e) { $[$| cond place < 2; $| cond q[src] != q[dst];$] apply {
    let fwd = changed(q[q[dst]] min= q[src]);
    $[let back = changed(q[q[src]] min= q[dst]); $| let back = false; $| let back = changed(q[src] min= q[dst]);$]
    $[go |= fwd || back; $| go |= fwd; $| if (fwd || back) { go = true; }$] $[$| accept fwd || back;$]
} }
vertex functor jump(v) { apply { $[let low = changed(q[v] min= q[q[v]]); m2 |= low; $| while (changed(q[v] min= q[q[v]])) { m2 = true; } $| q[v] min= q[q[v]]; m2 |= now q[v] != q[q[v]];$] } }
"""
HOOK_SCHEDULE = (
    "frontier f = vertices; $[go = true; $| $]while (go) { go = false; $[advance(vertices, g, to=none); $| f = "
    "advance(f, g); $| advance(vertices, g, to=none, over=all_edges);$] $[m2 = true; while (m2) { m2 = false; "
    "compute(vertices, jump); } $| compute(vertices, jump); $| m2 = true; repeat (2) { compute(vertices, jump); }$] "
    "$[$| compute(vertices, tally);$] }"
)
CLOSING = """edge functor g(src, dst, e) { cond $[c[dst] == 0 $| d[dst] == -1 $| !m[dst] $| d[dst] < 0 $| d[dst] == -1 || d[dst] == iteration + 1 $| d[far] == -1 && b[src] > 0 $| m[dst] || b[src] == 0$]; apply {
    $[c[dst] = iteration + 1; d[dst] = iteration + 1; m[dst] = true;
    $| d[dst] = $[iteration + 1 $| b[dst] $| b[src] $| 4$]; c[dst] = $[1 $| iteration + 1 $| b[src]$];
    $| d[dst] = iteration + 1; q[dst] $[any= $| min= $| =$] src;
    $| m[dst] = true; $[n += 1; $| n max= iteration; $| n max= b[dst]; $| c[dst] max= b[src]; $| accept b[src] > 0;$]
    $| if (cas(d[dst], -1, iteration + 1)) { $[n += b[dst] $| n += b[src] $| q[dst] = src $| r any= dst $| c[src] += 1 $| c[dst] = iteration$]; accept true; } else { accept false; }
    $| let won = cas(m[dst], false, true); $[n += 1; $| if (won) { n += 1; }$] accept won;
    $| if ($[b[dst] > 0 $| b[src] > 0$]) { d[dst] = iteration + 1; $[m[dst] = true; $| c[dst] = 2; $| go = true;$] } $[$| else { accept false; }$]
    $| d[dst] = iteration + 1; go |= $[b[dst] > 1 $| b[src] > 1 $| true$]; $[$| accept b[dst] > 0; $| accept place == 0;$]
    $]
} }
"""
PEEL = """vertex functor weak(v) { cond c[v] == 0 && d[v] <= n; apply { c[v] = $[n + 1 $| iteration + 1$]; } }
edge functor g(src, dst, e) { $[$| cond c[dst] == 0;$] apply {
    $[d[dst] -= 1; accept d2; $| let was = fetch(d[dst] -= 1); accept was == n + 1; $| let was = fetch(d[dst] -= 1); accept was == n + $[1 $| 2$]; $| d[dst] -= w[e]; $| let was = fetch(d[dst] -= 1); if (was == n + 1) { $[c[dst] = iteration; $| m[dst] = true; $| r any= dst; $| q[dst] = src; $| s += x[dst];$] } else { accept false; }$]
} }
vertex functor start(v) { apply { d[v] = $[in_degree(v) $| out_degree(v)$]; } }
"""
PEEL_SCHEDULE = (
    "compute(vertices, start); repeat (3) { frontier f = where(weak); while (f) { f = advance(f, g); $[f = filter(f, "
    "weak); $| $| n = c2;$] } n += 1; }"
)
FLAGS = """edge functor g(src, dst, e) { apply {
    $[let t = fetch(c[dst] += 1); if (t == $[0 $| b[dst] $| b[src] $| iteration$]) { $[m[dst] = true $| q[dst] = src $| n += 1 $| r any= dst$]; }
    $| if (cas($[m[dst] $| m[src] $| go$], false, true)) { $[n += b[dst] $| q[dst] = src $| c[dst] += b[dst] $| r any= dst $| d[dst] = b[dst]$]; }
    $| if (changed(d[dst] min= $[b[src] $| w[e] $| 2$])) { $[go = true $| n += 1 $| m[dst] = true $| c[dst] += 1 $| m[src] = true$]; }
    $| if (b[dst] > 0) { d[dst] = $[1 $| b[dst] $| b[src]$]; } else { d[dst] = 2; }
    $| if (place == $[0 $| 1 $| iteration$]) { q[$[src $| dst$]] = $[dst $| src$]; }
    $| c[dst] += $[b[src] $| now c[src] $| 1$]; n $[max= $| += $| min=$] c2;
    $| for i in 0..3 { var t = 0; for j in 0..i { t = t + 1; } if (i <= b[$[src $| dst$]]) { d[dst] = t; } }
    $| let low = changed(d[dst] min= b[src]); m[dst] $[|= $| &= $| ^=$] $[b[src] > 1 $| low $| m[src] $| low || b[src] > 1$];
    $| x[dst] $[+= $| min= $| max=$] $[float32(h[e]) $| x2 $| 0.1$]; s += $[float64(w[e]) $| 0.1$];
    $]
} }
"""
ROUNDS = """edge functor told(src, dst, e) -> $[int32 $] { $[$| cond m[src];$] value $[b[src] + w[e] $| d[src] $| d[far]$]; }
edge functor some_of(src, dst, e) -> bool { value $[m[src] $| d[src] > b[dst]$]; }
vertex functor join(v) { $[cond d[v] > c[v]; $| cond m[v] || d[v] > c[v];$] apply { m[v] = true; $[n += 1 $| d[v] = iteration $| s += x[v] $| r any= v $| q[v] = v$]; } }
edge functor g(src, dst, e) { cond $[!m[dst] $| !m[far] && m[near]$]; apply { $[m[dst] = true; c[dst] = 5; $| c[dst] += 1; $| d[dst] min= c2;$] } }
"""
ROUNDS_SCHEDULE = (
    "frontier f = $[vertices $| { 0, 1, 2 }$]; repeat (3) { c = neighbor_reduce($[vertices $| f$], told, $[max $| min $| "
    "sum $| product $| and $| or $| xor$], over=$[in_edges $| out_edges $| all_edges$]); frontier won = filter(f, join); "
    "frontier old = won; $[f = advance(won, g); $| f = where(join); $| f = old; $| advance(won, g, to=none);$] m = "
    "neighbor_reduce($[f $| vertices $| won$], some_of, $[some $| every $| or $| and $| xor$]); $[swap(c, d); $| fill(c, "
    "2); $| won = f; f = old; $| n += int32(size(old)); $| if (size(won) > 1) { compute(won, join); }$] }"
)
SUMS = """edge functor g(src, dst, e) { apply { $[s += float64(x[src]); $| x[dst] += 0.1; $| x[dst] += x2;$] } }
function above(y: float64) -> float64 { $[if (y > 0.6) { return 1.0; } return 0.0; $| return y * 0.5; $| return y > 0.6 ? y : -y;$] }
vertex functor use(v) { apply { $[x[v] = x[v] / 2.0; $| if (x[v] > 0.3) { n += 1; } $| m[v] = x[v] > 0.5; $| x[v] = sqrt(0.3 - x[v]); $| c[v] = int32(x[v] * 10.0); $| go = s > 1.0; $| s += above(float64(x[v]));$] } }
"""
SUMS_SCHEDULE = (
    "frontier f = vertices; advance(vertices, g, to=none); compute(vertices, use); $[$| s = above(s); $| n = int32(s); $| "
    "if (s > 1.0) { n = 3; } $| while (s < 5.0) { s += 1.5; n += 1; } $| advance(vertices, g, to=none);$]"
)

_FAMILIES = (
    (RELAX, None),
    (RELAX, None),
    (HOOK, HOOK_SCHEDULE),
    (CLOSING, None),
    (CLOSING, None),
    (PEEL, PEEL_SCHEDULE),
    (FLAGS, None),
    (FLAGS, None),
    (ROUNDS, ROUNDS_SCHEDULE),
    (SUMS, SUMS_SCHEDULE),
)
_SPARE = {
    "m2": "scalar m2 : bool;",
    "h32": "edge h32 : float32 = float32(int32(id) % 3) / 4.0;",
    "x2": "param x2 : float32 = 0.3;",
    "d2": "param d2 : $[bool = true$];",
    "c2": "param c2 : int32 = 2;",
}


def shaped_text(random: random.Random) -> str:
    """A member of one family, before mutations."""
    functors, schedule = random.choice(_FAMILIES)
    body = chosen(random, _TALLY + functors + f"schedule {{ {schedule or random.choice(_LOOPS)} }}\n")
    spare = "".join(f"    {line}\n" for name, line in _SPARE.items() if re.search(rf"\b{name}\b", body))
    problem = chosen(random, _DATA)
    return f"program shaped;\n{problem[:-2]}{chosen(random, spare)}}}\n{body}"


def chosen(random: random.Random, text: str) -> str:
    """`text` with every choice made: the first form half of the time."""
    while True:
        start = text.rfind("$[")
        if start < 0:
            return text
        end = text.index("$]", start)
        forms = [form.strip("\n") for form in text[start + 2 : end].split("$|")]
        form = forms[0] if random.random() < 0.4 else random.choice(forms)
        text = f"{text[:start]}{form.strip() if len(forms) > 1 else form}{text[end + 2 :]}"
