// What else is known of the run, its kernels, its memory and its results
const memoryPart = (doc) => {
  if (!doc.memory) { return null; }
  const buffers = doc.memory.buffers, most = buffers.reduce((all, each) => Math.max(all, each.bytes), 1);
  return el("section", { id: "memory" }, el("h2", {}, "Memory"),
    el("p", { class: "note" }, `${bytes(doc.memory.needed)} for a first run, on ${doc.memory.device}`),
    table([["buffer", "mono"], ["for", ""], ["elements", "mono"], ["", "bar"], ["bytes", "n"]],
      [...buffers].sort((a, b) => b.bytes - a.bytes).map((each) => [each.name, each.what, each.elements,
        meter(each.bytes / most, "plain"), each.there ? String(each.there) : count(each.bytes)])));
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
