// Elements of the page; every word becomes a text node, so that none can be markup.
const page = document.getElementById("page");
const said = new WeakMap();  // what the tooltip says of an element
const redraws = [];        // what is drawn anew when the page has another width
const settled = [];        // what is done once all lies in its place

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

// A picture as wide as its place, drawn anew when that has another width
const place = (host, draw) => {
  let last = 0;
  const again = () => {
    const width = Math.floor(host.clientWidth);
    if (width > 0 && width !== last) { last = width; host.replaceChildren(draw(width)); }
  };
  redraws.push(again);
  return host;
};
