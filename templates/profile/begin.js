// The tooltip, which says what is known of the element below the pointer
const tip = document.getElementById("tip");
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

// The page
const { profiles, comparison } = JSON.parse(document.getElementById("gdsl-profile").textContent);
const views = profiles.map(prepare);
page.replaceChildren(...[views.length === 2 ? two(views, comparison) : one(views[0])].flat(Infinity).filter((part) => part));
const redraw = () => { for (const again of [...redraws]) { again(); } };
redraw();
for (const settle of settled) { settle(); }
new ResizeObserver(redraw).observe(page);
document.addEventListener("pointermove", show);
document.addEventListener("pointerleave", () => { tip.hidden = true; });
document.addEventListener("scroll", () => { tip.hidden = true; }, true);
