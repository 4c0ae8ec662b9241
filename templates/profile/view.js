// What is drawn of a profile
const MOST_COLUMNS = 240;  // what a window shows; more passes than that share them

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
