"use strict";
// As much of a browser as the page of a profile asks for. `node browser.js PAGE.html` runs the page's script and prints
// what it drew, an element a line with its attributes, its words and, behind `::`, what its tooltip says.
const html = require("node:fs").readFileSync(process.argv[2], "utf-8");
const part = (pattern) => pattern.exec(html)[1];

class Node {
  constructor(tag) {
    Object.assign(this, { tag, attributes: {}, children: [], listeners: {}, text: "", hidden: true, parentNode: null });
    Object.assign(this, { clientWidth: 900, clientHeight: 600, offsetTop: 0 });
    this.style = { setProperty: (name, value) => { this.attributes[name] = value; } };
  }
  get firstChild() { return this.children[0]; }
  get textContent() { return this.text; }
  set textContent(words) { this.text = String(words); }
  get value() { return this.attributes.value; }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  addEventListener(kind, does) { this.listeners[kind] = does; }
  getBoundingClientRect() { return { width: 100, height: 20 }; }
  replaceChildren(...nodes) { this.children = []; this.append(...nodes); }
  append(...nodes) {
    for (const node of nodes) {
      if (node instanceof Node) { node.parentNode = this; }
      this.children.push(node instanceof Node ? node : String(node));
    }
  }
}

const named = { page: new Node("main"), tip: new Node("div"), "gdsl-profile": new Node("script") };
named["gdsl-profile"].text = part(/<script type="application\/json" id="gdsl-profile">(.*?)<\/script>/s);
globalThis.document = Object.assign(new Node("document"), {
  documentElement: { clientWidth: 900 },
  getElementById: (name) => named[name],
  createElement: (tag) => new Node(tag),
  createElementNS: (space, tag) => new Node(tag),
});
globalThis.window = { innerHeight: 700 };
globalThis.ResizeObserver = class { observe() {} };
new Function(part(/<script>(.*?)<\/script>/s))();

const tooltip = (target) => {
  named.tip.hidden = true;
  document.listeners.pointermove({ target, clientX: 10, clientY: 10 });
  return named.tip.hidden ? "" : ` :: ${JSON.stringify(named.tip.text)}`;
};
const print = (node, depth) => {
  const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`).join("");
  console.log(`${" ".repeat(depth)}<${node.tag}${attributes}>${tooltip(node)}`);
  for (const child of node.children) {
    if (child instanceof Node) { print(child, depth + 1); } else { console.log(`${" ".repeat(depth + 1)}${JSON.stringify(child)}`); }
  }
};
print(named.page, 0);
