"use strict";
(() => {
  const MOST_COLUMNS = 240;  // what a window shows; more passes than that share them
  const MOST_ROWS = 400;     // of tables, which say how many there are
  const { profiles, comparison } = JSON.parse(document.getElementById("gdsl-profile").textContent);
  const page = document.getElementById("page"), tip = document.getElementById("tip");
  const said = new WeakMap();  // what the tooltip says of an element
  const redraws = [];

  // Elements; every word becomes a text node, so that none can be markup.
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
  const tell = (node, text) => { said.set(node, text); return node; };

  // Numbers in words
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

  // What is drawn of a profile
  const prepare = (doc) => {
    const trace = doc.trace, operators = doc.operators.filter((each) => each.runs > 0);
    const bySite = new Map(doc.operators.map((each) => [each.site, each]));
    const color = new Map(operators.map((each, place) => [each.site, place % 10]));
    const passes = trace.pass.length ? trace.pass[trace.pass.length - 1] + 1 : 0;
    const each = Math.max(1, Math.ceil(passes / MOST_COLUMNS));
    const columns = Array.from({ length: Math.ceil(passes / each) }, (_, at) => ({
      first: at * each, last: Math.min(passes, (at + 1) * each) - 1, records: [], before: 0, time: 0 }));
    trace.site.forEach((site, row) => {
      const column = columns[Math.floor(trace.pass[row] / each)];
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
    const found = [`${operator.operator} — pass ${trace.pass[row] + 1}, iteration ${trace.iteration[row]}`];
    found.push(`${time(trace.time_ms[row])}` + (trace.before_ms[row] ? `, ${time(trace.before_ms[row])} before it` : ""));
    if (trace.waiting_ms[row] !== null) { found.push(`${time(trace.waiting_ms[row])} of both at barriers (first block)`); }
    found.push(`frontier ${count(trace.frontier[row])}, edges ${count(trace.edges[row])}`);
    const ways = ["direction", "balance", "order"].filter((name) => trace[name][row] !== null);
    if (ways.length) { found.push(ways.map((name) => `${name} ${trace[name][row]}`).join(", ")); }
    if (trace.why[row]) { found.push(trace.why[row]); }
    if (operator.inside !== null) { found.push(`runs in the sweep of ${bySite.get(operator.inside).operator}, which has the time`); }
    return found.join("\n");
  };

  // Scales
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

  const place = (host, draw) => {
    let last = 0;
    const again = () => {
      const width = Math.floor(host.clientWidth);
      if (width > 0 && width !== last) { last = width; host.replaceChildren(draw(width)); }
    };
    redraws.push(again);
    return host;
  };

  // The time of each pass, a piece for each record
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

  const legend = (view) => el("p", { class: "legend" },
    view.operators.map((operator) => el("span", {}, el("i", { class: `chip op${view.color.get(operator.site)}` }),
      operator.operator)),
    el("span", {}, el("i", { class: "chip between" }), "between operators"));

  // The same as a table of colours
  const heatTable = (view) => place(el("div", { class: "chart" }), (width) => {
    const rows = view.operators.slice(0, 40), size = 22;
    const names = [...rows.map((operator) => operator.operator), "between"];
    const left = Math.min(170, width / 3);
    const at = frame(width, names.length * size + 44, "time of each operator by pass, as colours", left);
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

  // Members and edges of one operator by pass, and which way it went
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

  // Tables
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
          String(trace.pass[row] + 1), String(trace.iteration[row]), el("span", { class: `tag ${trace.direction[row]}` },
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
    return el("pre", { class: "code" }, text.replace(/\r?\n$/, "").split(/\r?\n/).map((words, at) => {
      const found = heat.get(at + 1), spent = found ? found.spent : 0, within = found ? found.within : 0;
      const line = el("span", { class: spent ? "line hot" : within ? "line warm" : "line" },
        el("span", { class: "number" }, String(at + 1)),
        el("span", { class: "spent" }, spent ? time(spent) : ""), el("span", { class: "words" }, words || " "), "\n");
      line.style.setProperty("--heat", `${Math.round(100 * Math.min(1, Math.max(spent, within) / whole))}%`);
      if (spent) { tell(line, `${found.names.join(", ")}: ${time(spent)}, ${percent(spent / whole)} of the run`); }
      return line;
    }));
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
    frontierPart(view), choiceTable(view), programPart(view), resultPart(view.doc), machinePart(view.doc),
    memoryPart(view.doc), el("section", { id: "facts" }, el("h2", {}, "The run"), facts(runFacts(view.doc))), sourcePart(view.doc)];

  // Two of them
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

  const marked = (found, id) => el("pre", { class: "code diff", id }, found.map(([mark, words]) => el("span", {
    class: mark === "+" ? "line added" : mark === "-" ? "line gone" : "line" },
    el("span", { class: "number" }, mark), el("span", { class: "words" }, words || " "), "\n")));

  const two = (views) => {
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

  // The tooltip
  const show = (event) => {
    let node = event.target;
    while (node && node !== document && !said.has(node)) { node = node.parentNode; }
    if (!node || node === document) { tip.hidden = true; return; }
    tip.textContent = said.get(node);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect(), room = document.documentElement;
    const x = Math.max(4, Math.min(event.clientX + 14, room.clientWidth - width - 8));
    const y = event.clientY + height + 24 > window.innerHeight ? event.clientY - height - 10 : event.clientY + 16;
    tip.style.setProperty("left", `${x}px`);
    tip.style.setProperty("top", `${Math.max(4, y)}px`);
  };

  const views = profiles.map(prepare);
  page.replaceChildren(...[views.length === 2 ? two(views) : one(views[0])].flat(Infinity).filter((part) => part));
  const redraw = () => { for (const again of [...redraws]) { again(); } };
  redraw();
  new ResizeObserver(redraw).observe(page);
  document.addEventListener("pointermove", show);
  document.addEventListener("pointerleave", () => { tip.hidden = true; });
  document.addEventListener("scroll", () => { tip.hidden = true; }, true);
})();
