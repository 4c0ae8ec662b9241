// Tables
const MOST_ROWS = 400;  // the most rows of a table, which then states how many more there are

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

// The program with the time of its lines, and the plan
const heatLines = (view, file) => {
  const found = new Map(), at = (line) => {
    if (!found.has(line)) { found.set(line, { spent: 0, within: 0, names: [], sites: [] }); }
    return found.get(line);
  };
  for (const operator of view.operators) {
    if (operator.file === file) {
      const line = at(operator.lines[0]);
      line.spent += operator.time_ms || 0;
      line.names.push(operator.operator);
      line.sites.push(operator.site);
    }
    if (operator.functor && operator.functor.file === file) {
      for (let number = operator.functor.lines[0]; number <= operator.functor.lines[1]; number += 1) {
        at(number).within += operator.time_ms || 0;
      }
    }
  }
  return found;
};

const programText = (view, file, text) => {
  const heat = heatLines(view, file), whole = view.doc.time_ms.run || 1;
  let hottest = null, most = 0;
  const box = el("pre", { class: "code" }, text.replace(/\r?\n$/, "").split(/\r?\n/).map((words, at) => {
    const found = heat.get(at + 1), spent = found ? found.spent : 0, within = found ? found.within : 0;
    const line = el("span", { class: spent ? "line hot" : within ? "line warm" : "line" },
      el("span", { class: "number" }, String(at + 1)),
      el("span", { class: "spent" }, spent ? time(spent) : ""), el("span", { class: "words" }, words || " "), "\n");
    line.style.setProperty("--heat", `${Math.round(100 * Math.min(1, Math.max(spent, within) / whole))}%`);
    if (spent) { tell(line, `${found.names.join(", ")}: ${time(spent)}, ${percent(spent / whole)} of the run`); }
    if (spent > most) { hottest = line; most = spent; }
    return line;
  }));
  if (hottest) { whenComplete.push(() => { box.scrollTop = hottest.offsetTop - box.offsetTop - box.clientHeight / 2; }); }
  return box;
};

const planText = (view, text) => {
  let site = null, depth = 0;
  return el("pre", { class: "code plan" }, text.replace(/\n$/, "").split("\n").map((words) => {
    const indent = words.search(/\S|$/), found = /# site (\d+) @/.exec(words);
    if (found) { site = Number(found[1]); depth = indent; } else if (words.trim() && indent <= depth) { site = null; }
    const color = site !== null && view.color.has(site) ? `line mark op${view.color.get(site)}` : "line";
    return el("span", { class: color }, el("span", { class: "words" }, words || " "), "\n");
  }));
};

const programPart = (view) => {
  const { doc } = view;
  const imports = doc.program.imports.map((each) => el("details", {
    open: view.operators.some((operator) => operator.file === each.file) ? "" : null },
    el("summary", {}, each.file), programText(view, each.file, each.text)));
  return el("section", { id: "program" }, el("div", { class: doc.plan ? "beside" : "" },
    el("div", {}, el("h2", {}, "Program"), el("p", { class: "note" }, doc.program.file), programText(view, "", doc.program.text), imports),
    doc.plan ? el("div", {}, el("h2", {}, "Plan"), el("p", { class: "note" }, `of the ${doc.backend} backend`),
      planText(view, doc.plan)) : null));
};

const sourcePart = (doc) => {
  const names = { cuda: "Generated CUDA", cpp: "Generated C++", ir: "Operator IR" };
  return doc.source.text ? el("section", { id: "source" }, el("details", {}, el("summary", {},
    `${names[doc.source.language] || doc.source.language}, ${many(doc.source.text.split("\n").length, "line", "lines")}`),
    el("pre", { class: "code" }, doc.source.text))) : null;
};

const marked = (found, id) => el("pre", { class: "code diff", id }, found.map(([mark, words]) => el("span", {
  class: mark === "+" ? "line added" : mark === "-" ? "line gone" : "line" },
  el("span", { class: "number" }, mark), el("span", { class: "words" }, words || " "), "\n")));

// Kernels, memory, results and other facts of the run
const memoryPart = (doc) => {
  if (!doc.memory) { return null; }
  const buffers = doc.memory.buffers, most = buffers.reduce((all, each) => Math.max(all, each.bytes), 1);
  return el("section", { id: "memory" }, el("h2", {}, "Memory"),
    el("p", { class: "note" }, `${bytes(doc.memory.needed)} for a first run, on ${doc.memory.device}`),
    table([["buffer", "mono"], ["for", ""], ["elements", "mono"], ["", "bar"], ["bytes", "n"]],
      [...buffers].sort((a, b) => b.bytes - a.bytes).map((each) => [each.name, each.what, each.elements,
        meter(each.bytes / most, "plain"), each.there ? String(each.there) : count(each.bytes) + (each.host_bytes
          ? `, and ${count(each.host_bytes)} in the host's memory` : "")])));
};

const machinePart = (doc) => {
  const kernels = doc.kernels;
  if (!kernels.length && !doc.facts.length) { return null; }
  return el("section", { id: "machine" }, el("h2", {}, kernels.length ? "Kernels" : "Compiler"),
    kernels.length ? table([["kernel", "mono"], ["registers a thread", "n"], ["local bytes a thread", "n"],
      ["shared bytes a block", "n"], ["threads a block", "n"], ["blocks a multiprocessor", "n"], ["occupancy", "n"]],
      kernels.map((each) => [each.name, each.registers, each.local, each.shared, each.threads, each.resident,
        each.most ? percent(each.resident * each.threads / each.most) : "—"].map((cell, at) => (at ? String(cell) : cell)))) : null,
    kernels.some((each) => each.local > 0) ? el("p", { class: "note" },
      "Local memory is what a thread has beyond its registers: spills, and arrays that are indexed.") : null,
    facts(doc.facts));
};

const facts = (pairs) => el("dl", {}, pairs.filter(([, value]) => value !== null && value !== "").map(([name, value]) =>
  el("div", {}, el("dt", {}, name), el("dd", {}, value))));

const runFacts = (doc) => [
  ["graph", doc.graph.name], ["size", `${many(doc.graph.vertices, "vertex", "vertices")}, ${many(doc.graph.edges, "edge", "edges")}`],
  ["kind", doc.graph.directed ? "directed" : "undirected, each edge stored both ways"],
  ...Object.entries(doc.params).map(([name, value]) => [`param ${name}`, value]),
  ["knobs", doc.knobs.join(" ") || "as they are by themselves"],
  ["tune file", doc.tuned ? `${doc.tuned.file}${doc.tuned.used ? "" : `, not used: ${doc.tuned.reason}`}` : null],
  ["backend", doc.backend], ["why", doc.backend_reason], ["device", doc.device],
  ["load", doc.time_ms.load === null ? null : time(doc.time_ms.load)], ["compile", time(doc.time_ms.compile)],
  ["vertices by degree", doc.time_ms.layout === null ? null : time(doc.time_ms.layout)],
  ["runs", doc.time_ms.runs.length > 1 ? `${doc.time_ms.runs.map(time).slice(0, 20).join(", ")}${doc.time_ms.runs.length > 20 ? ", …" : ""}` : null],
  ["gdsl", doc.gdsl], ["when", doc.when]];

const resultPart = (doc) => {
  const number = (value) => (value === null || value === undefined ? "—" : typeof value === "number"
    ? (Number.isInteger(value) ? count(value) : String(+value.toPrecision(6))) : String(value));
  return el("section", { id: "results" }, el("h2", {}, "Results"),
    table([["result", "mono"], ["type", "mono"], ["values", "n"], ["smallest", "n"], ["largest", "n"], ["mean", "n"], ["apart", ""], ["grade", ""]],
      doc.results.map((each) => [each.name, each.type, count(each.size), number(each.minimum), number(each.maximum),
        number(each.mean), Object.entries(each.apart).map(([name, n]) => `${count(n)} ${name}`).join(", "),
        [el("span", { class: `tag grade-${each.grade.replace(/[^a-z]/g, "")}` }, each.grade), each.reason ? ` ${each.reason}` : ""]])));
};
