// Elements of the page; every word becomes a text node, so that none can be markup.
const page = document.getElementById("page");
const tooltips = new WeakMap();  // the tooltip of an element
const redraws = [];  // functions that redraw when the width of the page changes
const whenComplete = [];  // functions that run when the page is complete

const fill = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) { node.setAttribute(name, value); }
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) { node.append(child); }
  }
  return node;
};
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const tell = (node, text) => { tooltips.set(node, text); return node; };

// A picture as wide as its place, redrawn when the width changes
const place = (host, draw) => {
  let last = 0;
  const again = () => {
    const width = Math.floor(host.clientWidth);
    if (width > 0 && width !== last) { last = width; host.replaceChildren(draw(width)); }
  };
  redraws.push(again);
  return host;
};

// Numbers as text
const count = (n) => Number(n).toLocaleString("en-US", { maximumFractionDigits: 6 });
const many = (n, one, more) => `${count(n)} ${n === 1 ? one : more}`;
const digits = (x) => {
  const a = Math.abs(x);
  return a === 0 ? "0" : a >= 100 ? Math.round(x).toLocaleString("en-US") : a >= 10 ? x.toFixed(1) : x.toFixed(2);
};
const time = (ms) => {
  if (ms === null || ms === undefined) { return "—"; }
  const a = Math.abs(ms);
  if (a === 0) { return "0"; }
  if (a >= 1000) { return `${digits(ms / 1000)} s`; }
  if (a >= 1) { return `${digits(ms)} ms`; }
  return a >= 0.001 ? `${digits(ms * 1000)} µs` : `${Math.round(ms * 1e6)} ns`;
};
const bytes = (n) => {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let at = 0;
  while (n >= 1000 && at < 4) { n /= 1000; at += 1; }
  return at ? `${digits(n)} ${units[at]}` : `${n} ${n === 1 ? "byte" : "bytes"}`;
};
const short = (n) => {
  for (const [size, unit] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (n >= size) { return `${+(n / size).toPrecision(3)}${unit}`; }
  }
  return String(n);
};
const percent = (x) => `${x >= 0.0995 ? Math.round(x * 100) : (x * 100).toFixed(1)} %`;
const lines = ([first, last]) => (first === last ? `line ${first}` : `lines ${first} to ${last}`);

// The data of the charts
const MOST_COLUMNS = 240;  // the most columns of a chart; more passes share columns

const prepare = (doc) => {
  const trace = doc.trace, operators = doc.operators.filter((each) => each.runs > 0);
  const bySite = new Map(doc.operators.map((each) => [each.site, each]));
  const color = new Map(operators.map((each, place) => [each.site, place % 10]));
  const passes = trace.pass.length ? trace.pass[trace.pass.length - 1] : 0;
  const each = Math.max(1, Math.ceil(passes / MOST_COLUMNS));
  const columns = Array.from({ length: Math.ceil(passes / each) }, (_, at) => ({
    first: at * each, last: Math.min(passes, (at + 1) * each) - 1, records: [], before: 0, time: 0 }));
  trace.site.forEach((site, row) => {
    const column = columns[Math.floor((trace.pass[row] - 1) / each)];
    column.records.push(row);
    column.before += trace.before_ms[row] || 0;
    column.time += trace.time_ms[row] || 0;
  });
  const total = operators.reduce((sum, operator) => sum + (operator.time_ms || 0), 0);
  const before = operators.reduce((sum, operator) => sum + (operator.before_ms || 0), 0);
  return { doc, trace, operators, bySite, color, passes, each, columns, total, before };
};

const passName = (view, column) => {
  const rows = column.records, iterations = rows.map((row) => view.trace.iteration[row]);
  if (column.first === column.last) { return `pass ${column.first + 1} (iteration ${iterations[0]})`; }
  return `passes ${column.first + 1} to ${column.last + 1}`;
};

const recordText = (view, row) => {
  const { trace, bySite } = view, operator = bySite.get(trace.site[row]);
  const found = [`${operator.operator} — pass ${trace.pass[row]}, iteration ${trace.iteration[row]}`];
  found.push(`${time(trace.time_ms[row])}` + (trace.before_ms[row] ? `, ${time(trace.before_ms[row])} before it` : ""));
  if (trace.waiting_ms[row] !== null) { found.push(`${time(trace.waiting_ms[row])} of both at barriers (first block)`); }
  found.push(`frontier ${count(trace.frontier[row])}, edges ${count(trace.edges[row])}`);
  const ways = ["direction", "balance", "order"].filter((name) => trace[name][row] !== null);
  if (ways.length) { found.push(ways.map((name) => `${name} ${trace[name][row]}`).join(", ")); }
  if (trace.why[row]) { found.push(trace.why[row]); }
  if (operator.inside !== null) { found.push(`runs in the sweep of ${bySite.get(operator.inside).operator}, which has the time`); }
  return found.join("\n");
};
