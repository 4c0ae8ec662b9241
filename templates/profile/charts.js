// Charts by pass
const nice = (most) => {
  if (!(most > 0)) { return [0, 1]; }
  const power = 10 ** Math.floor(Math.log10(most / 4));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => most / size <= 5);
  const found = [];
  for (let value = 0; value < most + step * 0.999; value += step) { found.push(value); }
  return found;
};

const frame = (width, height, label, left = 64) =>
  ({ width, height, left, right: width - 12, top: 12, bottom: height - 30,
     node: svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }) });

const grid = (at, ticks, y, text) => {
  for (const value of ticks) {
    at.node.append(
      svg("line", { class: "grid", x1: at.left, x2: at.right, y1: y(value), y2: y(value) }),
      svg("text", { class: "tick", x: at.left - 8, y: y(value) + 4, "text-anchor": "end" }, text(value)));
  }
};

const passAxis = (view, at, x, step) => {
  const room = Math.max(1, Math.ceil(46 / step));
  view.columns.forEach((column, place) => {
    if (place % room === 0) {
      at.node.append(svg("text", { class: "tick", x: x(place) + step / 2, y: at.bottom + 16, "text-anchor": "middle" },
        String(column.first + 1)));
    }
  });
  at.node.append(svg("text", { class: "axis", x: at.right, y: at.height - 2, "text-anchor": "end" }, "pass"));
};

// The time of each pass, with a segment for each record
const timeChart = (view, most) => place(el("div", { class: "chart" }), (width) => {
  const at = frame(width, 280, "time of each operator by pass");
  const ticks = nice(most), top = ticks[ticks.length - 1];
  const y = (value) => at.bottom - (at.bottom - at.top) * value / top;
  const step = (at.right - at.left) / Math.max(1, view.columns.length);
  const x = (number) => at.left + step * number, gap = step > 4 ? Math.min(2, step / 6) : 0;
  grid(at, ticks, y, time);
  const bar = (kind, number, from, to, text) => at.node.append(tell(svg("rect", {
    class: kind, x: x(number) + gap / 2 + Math.max(0, step - gap - 64) / 2, width: Math.max(0.5, Math.min(64, step - gap)),
    y: y(to), height: Math.max(0, y(from) - y(to)) }), text));
  view.columns.forEach((column, number) => {
    let sum = 0;
    if (column.before > 0) {
      bar("between", number, 0, column.before, `between operators — ${passName(view, column)}\n${time(column.before)}`);
      sum = column.before;
    }
    const parts = view.each === 1
      ? column.records.map((row) => [view.trace.site[row], view.trace.time_ms[row] || 0, recordText(view, row)])
      : view.operators.map((operator) => {
          const rows = column.records.filter((row) => view.trace.site[row] === operator.site);
          const spent = rows.reduce((all, row) => all + (view.trace.time_ms[row] || 0), 0);
          return rows.length ? [operator.site, spent,
            `${operator.operator} — ${passName(view, column)}\n${time(spent)}, ${many(rows.length, "run", "runs")}`] : null;
        }).filter((part) => part !== null);
    for (const [site, spent, text] of parts) {
      bar(`bar op${view.color.get(site)}`, number, sum, sum + spent, text);
      sum += spent;
    }
  });
  passAxis(view, at, x, step);
  return at.node;
});

const legend = (view, others = "between operators") => el("p", { class: "legend" },
  view.operators.map((operator) => el("span", {}, el("i", { class: `chip op${view.color.get(operator.site)}` }),
    operator.operator)),
  el("span", {}, el("i", { class: "chip between" }), others));

// The same as a heat map
const heatTable = (view) => place(el("div", { class: "chart" }), (width) => {
  const rows = view.operators.slice(0, 40), size = 22;
  const names = [...rows.map((operator) => operator.operator), "between"];
  const left = Math.min(170, width / 3);
  const at = frame(width, names.length * size + 44, "time of each operator by pass, as colors", left);
  const step = (at.right - left) / Math.max(1, view.columns.length), x = (number) => left + step * number;
  const cells = view.columns.map((column) => {
    const found = new Map(rows.map((operator) => [operator.site, [0, 0]]));
    for (const row of column.records) {
      const cell = found.get(view.trace.site[row]);
      if (cell) { cell[0] += view.trace.time_ms[row] || 0; cell[1] += 1; }
    }
    return [...rows.map((operator) => found.get(operator.site)), [column.before, column.before > 0 ? 1 : 0]];
  });
  const known = cells.flat().map((cell) => cell[0]).filter((spent) => spent > 0);
  const least = known.reduce((a, b) => Math.min(a, b), Infinity), most = known.reduce((a, b) => Math.max(a, b), 0);
  const strength = (spent) => (most > least ? 0.1 + 0.9 * Math.log(spent / least) / Math.log(most / least) : 1);
  const fits = Math.floor(left / 7.2) - 1;
  names.forEach((name, line) => at.node.append(tell(svg("text", {
    class: "name", x: left - 8, y: at.top + line * size + 15, "text-anchor": "end" },
    name.length > fits ? `${name.slice(0, fits - 1)}…` : name), name)));
  cells.forEach((column, number) => column.forEach(([spent, runs], line) => {
    if (runs > 0) {
      at.node.append(tell(svg("rect", { class: "heat", x: x(number), y: at.top + line * size + 1,
        width: Math.max(0.6, step - (step > 5 ? 1 : 0)), height: size - 2,
        "fill-opacity": spent > 0 ? strength(spent).toFixed(3) : 0.04 }),
        `${names[line]} — ${passName(view, view.columns[number])}\n${time(spent)}` +
        (line < rows.length ? `, ${many(runs, "run", "runs")}` : "")));
    }
  }));
  passAxis(view, at, x, step);
  return at.node;
});

// What each of several GPUs did when: at work in the color of the operator, and at barriers
const laneChart = (view, lanes) => place(el("div", { class: "chart" }), (width) => {
  const size = 26, at = frame(width, lanes.length * size + 44, "what each GPU did when", Math.min(170, width / 3));
  const sum = (values, rows) => rows.reduce((all, row) => all + values[row], 0);
  const spans = view.columns.map((column) => lanes.reduce((most, lane) =>
    Math.max(most, sum(lane.columns.compute_ms, column.records) + sum(lane.columns.waiting_ms, column.records)), 0));
  const whole = spans.reduce((all, span) => all + span, 0) || 1;
  const x = (ms) => at.left + (at.right - at.left) * ms / whole;
  lanes.forEach((lane, line) => {
    const top = at.top + line * size;
    at.node.append(svg("text", { class: "name", x: at.left - 8, y: top + 16, "text-anchor": "end" }, lane.name));
    let begin = 0;
    view.columns.forEach((column, number) => {
      const bars = view.each === 1 ? column.records.map((row) => [row]) : view.operators.map((operator) =>
        column.records.filter((row) => view.trace.site[row] === operator.site)).filter((rows) => rows.length);
      let from = begin;
      for (const rows of bars) {
        const site = view.trace.site[rows[0]], taken = rows.map((row) => lane.columns.members[row]);
        const words = [`${lane.name}: ${view.bySite.get(site).operator} — ${passName(view, column)}`,
          `${time(sum(lane.columns.compute_ms, rows))} at work, ${time(sum(lane.columns.waiting_ms, rows))} at barriers`,
          ...(taken.includes(null) ? [] : [many(taken.reduce((all, n) => all + n, 0), "member", "members")])].join("\n");
        for (const [kind, spent] of [[`bar op${view.color.get(site)}`, sum(lane.columns.compute_ms, rows)],
          ["between", sum(lane.columns.waiting_ms, rows)]]) {
          at.node.append(tell(svg("rect", { class: kind, x: x(from), y: top + 3, width: Math.max(0, x(from + spent) - x(from)),
            height: size - 6 }), words));
          from += spent;
        }
      }
      begin += spans[number];
    });
  });
  for (const value of nice(whole)) {
    if (value <= whole) {
      at.node.append(svg("text", { class: "tick", x: x(value), y: at.bottom + 16, "text-anchor": "middle" }, time(value)));
    }
  }
  return at.node;
});

const lanesPart = (view) => {
  const lanes = view.doc.lanes;
  if (!lanes) { return null; }
  const known = lanes.some((lane) => lane.members !== null);
  const head = [["GPU", ""], ["at work", "n"], ["at barriers", "n"], ["of its time at work", "bar"], ...(known ? [["members", "n"]] : [])];
  return el("section", { id: "lanes" }, el("h2", {}, "GPUs"), legend(view, "at barriers"), laneChart(view, lanes),
    table(head, lanes.map((lane) => {
      const share = lane.compute_ms / (lane.compute_ms + lane.waiting_ms || 1);
      return [lane.name, time(lane.compute_ms), time(lane.waiting_ms), [meter(share, "plain"), percent(share)],
        ...(known ? [lane.members === null ? "—" : count(lane.members)] : [])];
    })));
};

// Members and edges of one operator by pass, and its direction
const frontierChart = (view, site) => place(el("div", { class: "chart" }), (width) => {
  const at = frame(width, 300, "frontier and edges by pass");
  at.bottom -= 22;
  const step = (at.right - at.left) / Math.max(1, view.columns.length), x = (number) => at.left + step * (number + 0.5);
  const points = [];
  view.columns.forEach((column, number) => {
    const rows = column.records.filter((row) => view.trace.site[row] === site);
    if (rows.length) {
      const largest = (name) => rows.reduce((most, row) => Math.max(most, view.trace[name][row]), 0);
      points.push({ number, rows, frontier: largest("frontier"), edges: largest("edges") });
    }
  });
  const most = points.reduce((all, point) => Math.max(all, point.frontier, point.edges), 1);
  const powers = Math.max(1, Math.ceil(Math.log10(most + 0.5))), apart = Math.max(1, Math.ceil(powers / 6));
  const y = (value) => at.bottom - (at.bottom - at.top) * (value > 0 ? (Math.log10(value) + 0.35) / (powers + 0.35) : 0);
  grid(at, [0, ...Array.from({ length: Math.floor(powers / apart) + 1 }, (_, power) => 10 ** (power * apart))], y,
    (value) => short(value));
  for (const name of ["edges", "frontier"]) {
    if (!points.some((point) => point[name] > 0)) { continue; }
    at.node.append(svg("polyline", { class: `line ${name}`,
      points: points.map((point) => `${x(point.number).toFixed(1)},${y(point[name]).toFixed(1)}`).join(" ") }));
    for (const point of points) {
      at.node.append(tell(svg("circle", { class: `dot ${name}`, cx: x(point.number), cy: y(point[name]),
        r: step > 8 ? 4 : 2 }), point.rows.length === 1 ? recordText(view, point.rows[0])
          : `${passName(view, view.columns[point.number])}, the largest of ${point.rows.length} runs\n` +
            `frontier ${count(point.frontier)}, edges ${count(point.edges)}`));
    }
  }
  for (const point of points) {
    const ways = [...new Set(point.rows.map((row) => view.trace.direction[row]))];
    const way = ways.length === 1 ? ways[0] : "mixed";
    if (way === null) { continue; }
    const wide = Math.min(64, Math.max(0.8, step - (step > 4 ? 2 : 0)));
    at.node.append(tell(svg("rect", { class: `way ${way}`, x: x(point.number) - wide / 2, y: at.bottom + 4,
      width: wide, height: 14, rx: step > 12 ? 3 : 0 }), point.rows.length === 1 ? recordText(view, point.rows[0]) : way));
    if (step > 34) {
      at.node.append(svg("text", { class: "wayname", x: x(point.number), y: at.bottom + 15, "text-anchor": "middle" }, way));
    }
  }
  at.bottom += 22;
  passAxis(view, at, (number) => at.left + step * number, step);
  return at.node;
});

const frontierPart = (view) => {
  const changing = view.operators.filter((operator) => operator.runs > 1 && operator.edges > 0);
  const first = [...(changing.length ? changing : view.operators)].sort((a, b) => (b.edges - a.edges))[0];
  if (!first) { return null; }
  const host = el("div", {});
  const show = (site) => { host.replaceChildren(frontierChart(view, site)); redraws[redraws.length - 1](); };
  const choose = el("select", { "aria-label": "operator" }, view.operators.map((operator) =>
    el("option", { value: operator.site, selected: operator.site === first.site ? "" : null },
      `${operator.operator}, ${lines(operator.lines)}`)));
  choose.addEventListener("change", () => show(Number(choose.value)));
  redraws.push(() => { if (!host.firstChild) { show(first.site); } });
  return el("section", { id: "frontier" },
    el("h2", {}, "Frontier and edges"),
    el("p", { class: "legend" }, choose, el("span", {}, el("i", { class: "chip frontier" }), "frontier"),
      el("span", {}, el("i", { class: "chip edges" }), "edges"), el("span", {}, el("i", { class: "chip push" }), "push"),
      el("span", {}, el("i", { class: "chip pull" }), "pull")), host);
};
