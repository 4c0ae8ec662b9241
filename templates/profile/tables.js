// Tables
const MOST_ROWS = 400;  // of a table, which says then how many more there are

const table = (head, rows, options = {}) => el("div", { class: "scroll" }, el("table", { class: options.class },
  el("thead", {}, el("tr", {}, head.map(([name, kind]) => el("th", { class: kind }, name)))),
  el("tbody", {}, rows.slice(0, MOST_ROWS).map((cells) => el("tr", {}, cells.map((cell, at) =>
    el("td", { class: head[at][1] }, cell)))))),
  rows.length > MOST_ROWS ? el("p", { class: "note" }, `and ${count(rows.length - MOST_ROWS)} more`) : null);

const meter = (share, kind) => {
  const inner = el("i", { class: kind });
  inner.style.setProperty("width", `${Math.max(0, Math.min(1, share)) * 100}%`);
  return el("span", { class: "meter" }, inner);
};

const operatorTable = (view) => {
  const whole = view.doc.time_ms.run || 1;
  const waits = view.operators.some((each) => each.waiting_ms !== null);
  const head = [["operator", ""], ["where", ""], ["runs", "n"], ["time", "n"], ["of the run", "bar"], ["a run", "n"],
    ["before", "n"], ...(waits ? [["at barriers", "n"]] : []), ["edges", "n"], ["edges a second", "n"], ["ways", ""]];
  const rows = view.operators.map((operator) => {
    const ways = new Map();
    view.trace.site.forEach((site, row) => {
      if (site === operator.site) {
        const way = ["direction", "balance", "order"].map((name) => view.trace[name][row]).filter((word) => word).join(", ");
        if (way) { ways.set(way, (ways.get(way) || 0) + 1); }
      }
    });
    const inside = operator.inside !== null ? view.bySite.get(operator.inside).operator : null;
    const spent = operator.time_ms || 0;
    return [[el("i", { class: `chip op${view.color.get(operator.site)}` }), tell(el("b", {}, operator.operator), operator.call)],
      lines(operator.lines) + (operator.file ? ` of ${operator.file}` : ""), count(operator.runs),
      inside ? `in ${inside}` : time(operator.time_ms),
      inside ? "" : [meter(spent / whole, `op${view.color.get(operator.site)}`), percent(spent / whole)],
      inside ? "" : time(operator.time_ms === null ? null : spent / operator.runs), time(operator.before_ms),
      ...(waits ? [time(operator.waiting_ms)] : []), operator.edges ? short(operator.edges) : "—",
      operator.edges && spent > 0 && !inside ? short(Math.round(operator.edges / spent * 1000)) : "—",
      [...ways].map(([way, runs]) => (ways.size > 1 ? `${way} ${runs}×` : way)).join("; ")];
  });
  const start = view.doc.time_ms.start || 0, rest = view.doc.time_ms.run - view.total - view.before - start;
  const more = waits ? [""] : [];
  rows.push([[el("i", { class: "chip between" }), "between operators"], "other steps, barriers", "", time(view.before),
    [meter(view.before / whole, "between"), percent(view.before / whole)], "", "", ...more, "", "", ""]);
  for (const [name, what, spent] of [["before the first", "first values of all data", start], ["after the last", "", rest]]) {
    if (spent > 0) {
      rows.push([[el("i", { class: "chip rest" }), name], what, "", time(spent),
        [meter(spent / whole, "rest"), percent(spent / whole)], "", "", ...more, "", "", ""]);
    }
  }
  return table(head, rows, { class: "operators" });
};

const choiceTable = (view) => {
  const { trace } = view, rows = [], last = new Map();
  trace.why.forEach((why, row) => {
    const site = trace.site[row];
    if (why && (last.get(site) !== trace.direction[row] || trace.iteration[row] === 0)) {
      rows.push([[el("i", { class: `chip op${view.color.get(site)}` }), view.bySite.get(site).operator],
        String(trace.pass[row]), String(trace.iteration[row]), el("span", { class: `tag ${trace.direction[row]}` },
        trace.direction[row]), why]);
    }
    if (trace.direction[row] !== null) { last.set(site, trace.direction[row]); }
  });
  const rules = view.operators.filter((operator) => operator.rule.length);
  if (!rules.length) { return null; }
  return el("section", { id: "choices" }, el("h2", {}, "Choices, and why"),
    rows.length ? table([["operator", ""], ["pass", "n"], ["iteration", "n"], ["went", ""], ["why", ""]], rows) : null,
    el("details", {}, el("summary", {}, "What the plan says of each operator"),
      rules.map((operator) => [el("h3", {}, el("i", { class: `chip op${view.color.get(operator.site)}` }),
        operator.operator), el("pre", {}, operator.rule.join("\n"))])));
};
