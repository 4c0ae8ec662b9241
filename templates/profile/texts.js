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
  if (hottest) { settled.push(() => { box.scrollTop = hottest.offsetTop - box.offsetTop - box.clientHeight / 2; }); }
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
