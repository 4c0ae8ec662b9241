// The page of one profile
const figure = (value, name) => el("div", { class: "figure" }, el("b", {}, value), el("span", {}, name));

const head = (view) => {
  const { doc } = view, runs = doc.time_ms.runs;
  const spread = runs.length > 1 ? `median of ${runs.length} runs, ${time(Math.min(...runs))} to ${time(Math.max(...runs))}` : "run";
  return el("header", {}, el("h1", {}, doc.program.name, el("small", {}, ` on ${doc.graph.name || "a graph"}`)),
    el("p", { class: "note" }, `${doc.backend} · ${doc.device}`),
    el("div", { class: "figures" }, figure(time(doc.time_ms.run), spread), figure(count(doc.iterations), doc.iterations === 1 ? "iteration" : "iterations"),
      figure(count(doc.records), "runs of operators"), figure(percent((view.total) / (doc.time_ms.run || 1)), "in operators")));
};

const kept = (view) => (view.doc.records > view.trace.site.length ? el("p", { class: "note" },
  `Charts show the first ${count(view.trace.site.length)} of ${count(view.doc.records)} runs of operators; sums are over all.`) : null);

const grouped = (view) => (view.each > 1
  ? el("p", { class: "note" }, `A column stands for ${view.each} passes; there are ${count(view.passes)}.`) : null);

const mostTime = (views) => views.reduce((most, view) => view.columns.reduce((all, column) =>
  Math.max(all, column.before + column.time), most), 0);

const one = (view) => [head(view),
  el("section", { id: "time" }, el("h2", {}, "Time by pass"), legend(view), timeChart(view, mostTime([view])),
    grouped(view), kept(view), el("h3", {}, "Operators by pass"), heatTable(view)),
  el("section", { id: "operators" }, el("h2", {}, "Operators"), operatorTable(view)),
  lanesPart(view), frontierPart(view), choiceTable(view), programPart(view), resultPart(view.doc), machinePart(view.doc),
  memoryPart(view.doc), el("section", { id: "facts" }, el("h2", {}, "The run"), facts(runFacts(view.doc))), sourcePart(view.doc)];

// The page of two, side by side
const change = (ms, share) => {
  if (ms === null) { return "—"; }
  const words = share === null ? "" : ` (${share > 0 ? "+" : ""}${share.toFixed(Math.abs(share) < 10 ? 1 : 0)} %)`;
  return el("span", { class: ms > 0 ? "slower" : ms < 0 ? "faster" : "" }, `${ms > 0 ? "+" : ""}${time(ms)}${words}`);
};

const diverging = (ms, most) => {
  const inner = el("i", { class: ms > 0 ? "more" : "less" });
  inner.style.setProperty("width", `${ms === null ? 0 : 50 * Math.min(1, Math.abs(ms) / (most || 1))}%`);
  return el("span", { class: "meter both" }, inner);
};

const two = (views, comparison) => {
  const [a, b] = views, whole = b.doc.time_ms.run - a.doc.time_ms.run, before = b.before - a.before;
  const most = comparison.operators.reduce((all, each) => Math.max(all, Math.abs(each.ms || 0)), Math.abs(before));
  const row = (name, first, second, ms, share, note) => [name, first, second, change(ms, share), diverging(ms, most), note];
  const rows = comparison.operators.map((each) => row(el("b", {}, each.operator), each.a ? time(each.a.time_ms) : "not there",
    each.b ? time(each.b.time_ms) : "not there", each.ms, each.percent,
    [each.a && each.b && each.a.runs !== each.b.runs ? `${count(each.a.runs)} → ${count(each.b.runs)} runs. ` : "",
      each.rule ? el("span", { class: "tag changed" }, "another plan") : ""]));
  rows.push(row("between operators", time(a.before), time(b.before), before, a.before ? 100 * before / a.before : null, ""));
  rows.push(row(el("b", {}, "the run"), time(a.doc.time_ms.run), time(b.doc.time_ms.run), whole,
    a.doc.time_ms.run ? 100 * whole / a.doc.time_ms.run : null, ""));
  const high = mostTime(views), same = a.doc.program.name === b.doc.program.name;
  return [el("header", {}, el("h1", {}, same ? a.doc.program.name : `${a.doc.program.name} and ${b.doc.program.name}`,
      el("small", {}, " — two runs")),
    el("div", { class: "figures" }, figure(time(a.doc.time_ms.run), `a: ${a.doc.backend}, ${a.doc.when}`),
      figure(time(b.doc.time_ms.run), `b: ${b.doc.backend}, ${b.doc.when}`),
      el("div", { class: "figure" }, el("b", {}, change(whole, a.doc.time_ms.run ? 100 * whole / a.doc.time_ms.run : null)), el("span", {}, "b against a")))),
    el("section", { id: "differences" }, el("h2", {}, "What differs"), comparison.differences.length
      ? table([["", ""], ["a", "mono"], ["b", "mono"]], comparison.differences.map((each) => [each.what, each.a, each.b]))
      : el("p", { class: "note" }, "Nothing but the times: the same program, graph, params, knobs, backend, device and plan.")),
    el("section", { id: "operators" }, el("h2", {}, "Operators"),
      table([["operator", ""], ["a", "n"], ["b", "n"], ["difference", "n"], ["", "bar"], ["", ""]], rows)),
    views.map((view, at) => el("section", { id: `time-${"ab"[at]}` },
      el("h2", {}, `Time by pass: ${"ab"[at]}`), legend(view), timeChart(view, high), grouped(view), kept(view))),
    comparison.text.length ? el("section", { id: "text" }, el("h2", {}, "Program"), marked(comparison.text)) : null,
    comparison.plan.length ? el("section", { id: "plan" }, el("h2", {}, "Plan"), marked(comparison.plan)) : null,
    comparison.text.length ? null : programPart(b),
    el("section", { id: "facts" }, el("div", { class: "beside" }, views.map((view, at) =>
      el("div", {}, el("h2", {}, `The run ${"ab"[at]}`), facts(runFacts(view.doc))))))];
};

// The tooltip of the element below the pointer
const tip = document.getElementById("tip");
const show = (event) => {
  let node = event.target;
  while (node && node !== document && !tooltips.has(node)) { node = node.parentNode; }
  if (!node || node === document) { tip.hidden = true; return; }
  tip.textContent = tooltips.get(node);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect(), room = document.documentElement;
  const x = Math.max(4, Math.min(event.clientX + 14, room.clientWidth - width - 8));
  const y = event.clientY + height + 24 > window.innerHeight ? event.clientY - height - 10 : event.clientY + 16;
  tip.style.setProperty("left", `${x}px`);
  tip.style.setProperty("top", `${Math.max(4, y)}px`);
};

// The page
const { profiles, comparison } = JSON.parse(document.getElementById("gdsl-profile").textContent);
const views = profiles.map(prepare);
page.replaceChildren(...[views.length === 2 ? two(views, comparison) : one(views[0])].flat(Infinity).filter((part) => part));
const redraw = () => { for (const again of [...redraws]) { again(); } };
redraw();
for (const settle of whenComplete) { settle(); }
new ResizeObserver(redraw).observe(page);
document.addEventListener("pointermove", show);
document.addEventListener("pointerleave", () => { tip.hidden = true; });
document.addEventListener("scroll", () => { tip.hidden = true; }, true);
