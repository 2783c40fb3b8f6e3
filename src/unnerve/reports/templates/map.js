// The report of a map: plane, gallery and details follow the chosen group and pattern.
"use strict";

const FIRST = 36;
const MORE = 72;
const AROUND = 14;
const inputs = payload.inputs;
const details = element("details");
const hint = element("pointed");
const wanted = { group: "", pattern: "", sort: "turn" };
let limit = FIRST;
let chosen = null;
let pointed = null;
let opener = null;
let ringSize = null;

const className = (place) => payload.classes[place];

// ---- Which inputs

function fits(one) {
  return (wanted.group === "" || one.group === wanted.group) && (wanted.pattern === "" || one.pattern === wanted.pattern);
}

function shown() {
  const last = (value) => (value === null ? Infinity : value);
  const key = {
    turn: () => 0,
    sure: (one) => last(one.pcs === null ? null : -one.pcs),
    unsure: (one) => last(one.pcs),
    shaky: (one) => last(one.vro === null ? null : -one.vro),
    steady: (one) => last(one.vro),
  }[wanted.sort];
  const left = [...inputs.keys()].filter((row) => fits(inputs[row]));
  return left.sort((a, b) => key(inputs[a]) - key(inputs[b]) || a - b);
}

// What the answer should be, or was before the attack; null if nobody knows.
function before(one) {
  return one.label ?? (one.original === null ? null : inputs[one.original].predicted);
}

function answer(one) {
  const was = before(one);
  return was === null || was === one.predicted ? className(one.predicted) : `${className(was)} \u2192 ${className(one.predicted)}`;
}

function figures(one) {
  const short = (value) => (value === null ? "-" : String(Number(value.toFixed(3))));
  return `PCS ${short(one.pcs)}, VRO ${short(one.vro)}`;
}

function origin(one) {
  return one.original === null ? `id ${one.id}` : `seed ${one.seed}`;
}

function badge(place, group) {
  const glyph = element(`glyph-${group}`).cloneNode(true);
  glyph.removeAttribute("id");
  place.replaceChildren(glyph, payload.groups[group].name);
}

// The seed's picture and the input's own; one picture for a seed.
function duo(place, one) {
  const original = one.original === null ? null : inputs[one.original];
  const parts = original ? [["original", original.picture], ["found", one.picture]] : [["as it is", one.picture]];
  const drawn = parts.filter(([, thumbnail]) => thumbnail);
  place.hidden = drawn.length === 0;
  place.replaceChildren(
    ...drawn.map(([name, thumbnail]) => {
      const figure = element("figure").content.cloneNode(true);
      picture(figure.querySelector("img"), thumbnail);
      figure.querySelector("small").textContent = name;
      return figure;
    }),
  );
}

// ---- Plane

function star() {
  if (chosen === null) return { rows: [], sizes: [] };
  const one = inputs[chosen];
  if (one.original !== null) return { rows: [one.original, chosen], sizes: [0, 1] };
  const made = [...inputs.keys()].filter((row) => inputs[row].original === chosen);
  return { rows: [chosen, ...made.flatMap((row) => [row, chosen])], sizes: [1, ...made.flatMap(() => [0, 0])] };
}

function fillPlane() {
  const chart = payload.charts.plane;
  const all = wanted.group === "" && wanted.pattern === "";
  const ring = star();
  for (const trace of chart.data) {
    const { kind, group } = trace.meta;
    if (kind === "dots") {
      trace.selectedpoints = all ? null : [...trace.customdata.keys()].filter((place) => fits(inputs[trace.customdata[place]]));
    } else if (kind === "bars") {
      trace.visible = wanted.group === "" || wanted.group === group;
    } else {
      ringSize ??= trace.marker.size;
      trace.x = ring.rows.map((row) => inputs[row].x);
      trace.y = ring.rows.map((row) => inputs[row].y);
      trace.marker.size = ring.sizes.map((on) => on * ringSize);
    }
  }
  for (const label of chart.layout.annotations) {
    const on = wanted.pattern === label.name;
    if (!patternWords.has(label.name)) patternWords.set(label.name, label.text);
    // On a telephone the words would run into each other; they stand on the buttons above.
    const words = element("plane").clientWidth < NARROW ? `<b>${label.name}</b>` : patternWords.get(label.name);
    label.text = `${words} ${number(counted(label.name))}`;
    label.borderwidth = on ? 2 : 1;
  }
  show("plane", chart);
}

// What the plane calls each pattern, before counts are added.
const patternWords = new Map();
const NARROW = 480;

// Of the chosen group or of all, also of inputs that are not shown.
function counted(pattern) {
  const some = wanted.group === "" ? payload.groups : [payload.groups[wanted.group]];
  return some.reduce((sum, group) => sum + group.patterns[pattern], 0);
}

function point(row, x, y) {
  pointed = row;
  const one = inputs[row];
  duo(hint.querySelector(".duo"), one);
  const words = hint.querySelector(".words");
  const group = document.createElement("b");
  badge(group, one.group);
  const say = (text) => Object.assign(document.createElement("span"), { textContent: text });
  const pattern = one.pattern === "between" ? "between the thresholds" : one.pattern;
  words.replaceChildren(group, ...[answer(one), figures(one), pattern, origin(one)].map(say));
  hint.hidden = false;
  const box = hint.getBoundingClientRect();
  const left = x + AROUND + box.width > innerWidth ? x - AROUND - box.width : x + AROUND;
  const top = y + AROUND + box.height > innerHeight ? y - AROUND - box.height : y + AROUND;
  hint.style.left = `${Math.max(4, left)}px`;
  hint.style.top = `${Math.max(4, top)}px`;
}

function unpoint() {
  hint.hidden = true;
}

// Where a dot is on the screen, from the axes as they are zoomed now.
function spot(row) {
  const { xaxis, yaxis } = element("plane").layout;
  const box = element("plane").querySelector('.nsewdrag[data-subplot="xy"]').getBoundingClientRect();
  const share = (value, [from, to]) => (value - from) / (to - from);
  return [box.left + share(inputs[row].x, xaxis.range) * box.width, box.bottom - share(inputs[row].y, yaxis.range) * box.height];
}

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

// To the next dot in the direction of the key; what lies aside counts as farther away.
function nextDot(from, [right, up]) {
  let [best, least] = [null, Infinity];
  for (const row of shown()) {
    const [dx, dy] = [inputs[row].x - inputs[from].x, inputs[row].y - inputs[from].y];
    const along = dx * right + dy * up;
    const far = along + 3 * Math.abs(dx * up + dy * right);
    if (row !== from && along > 0 && far < least) [best, least] = [row, far];
  }
  return best;
}

function moveInPlane(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target !== element("plane")) return;
  if (event.key === "Escape") unpoint();
  if ((event.key === "Enter" || event.key === " ") && pointed !== null) {
    event.preventDefault();
    choose(pointed);
  }
  const way = WAYS[event.key];
  if (!way) return;
  event.preventDefault();
  const rows = shown();
  if (!rows.length) return;
  const start = [pointed, chosen].find((row) => row !== null && fits(inputs[row])) ?? null;
  const next = start === null ? rows[0] : nextDot(start, way) ?? start;
  point(next, ...spot(next));
}

// ---- Gallery

function tile(row) {
  const one = inputs[row];
  const item = element("tile").content.cloneNode(true);
  const part = (name) => item.querySelector("." + name);
  const button = part("tile");
  const was = before(one);
  item.querySelector("li").id = fragment(one).slice(1);
  button.dataset.row = row;
  button.title = `${payload.groups[one.group].name}: ${answer(one)}`;
  picture(item.querySelector("img"), one.picture);
  part("id").textContent = one.picture ? "" : one.id;
  part("was").textContent = was === null ? "" : className(was);
  part("was").hidden = part("arrow").hidden = was === null;
  part("is").textContent = className(one.predicted);
  part("is").classList.toggle("right", was === null || was === one.predicted);
  badge(part("group"), one.group);
  part("sure").textContent = figures(one);
  part("how").textContent = `${one.pattern}, ${origin(one)}`;
  button.addEventListener("click", () => choose(row));
  return item;
}

function fillGallery() {
  const rows = shown();
  element("gallery").replaceChildren(...rows.slice(0, limit).map(tile));
  const left = rows.length - limit;
  element("more").hidden = left <= 0;
  element("more").textContent = `Show ${number(Math.min(left, MORE))} more of ${number(left)}`;
  element("none").hidden = rows.length > 0;
  element("count").textContent = `${number(rows.length)} of ${number(inputs.length)} ${payload.noun} that are shown`;
  mark(chosen);
}

function fillDetails() {
  const one = inputs[chosen];
  const rows = shown();
  const say = (part, text) => (details.querySelector(`[data-part="${part}"]`).textContent = text);
  duo(element("details-duo"), one);
  badge(details.querySelector('[data-part="group"]'), one.group);
  say("label", one.label === null ? "unknown: the data has no labels" : className(one.label));
  say("predicted", className(one.predicted) + (one.label !== null && one.label !== one.predicted ? " (wrong)" : ""));
  say("pattern", one.pattern === "between" ? "between the thresholds" : one.pattern);
  for (const metric of ["pcs", "vro"]) say(metric, one.figures[metric]);
  say("others", ["vr", "predictive_entropy", "mi"].map((metric) => one.figures[metric]).join(", "));
  for (const part of ["seed", "id"]) say(part, one[part]);
  element("place").textContent = `${number(rows.indexOf(chosen) + 1)} of ${number(rows.length)}`;
  element("permalink").href = fragment(one);
  fillRelatives(one);
}

// Links from a seed to what was made of it, and back.
function fillRelatives(one) {
  const seed = one.original ?? chosen;
  const rows = [...inputs.keys()].filter((row) => row !== chosen && (row === seed || inputs[row].original === seed));
  element("relatives").replaceChildren(
    ...rows.map((row) => {
      const button = document.createElement("button");
      button.type = "button";
      badge(button, inputs[row].group);
      button.addEventListener("click", () => {
        if (!fits(inputs[row])) clear();
        choose(row);
      });
      return button;
    }),
  );
}

function fragment(one) {
  return `#input-${one.group}-${encodeURIComponent(one.id)}`;
}

function choose(row) {
  if (details.hidden) opener = document.activeElement;
  chosen = row;
  unpoint();
  fillDetails();
  details.hidden = false;
  mark(chosen);
  fillPlane();
  history.replaceState(null, "", fragment(inputs[row]));
}

function close() {
  if (details.hidden) return;
  const from = opener?.isConnected && opener !== document.body ? opener : tileOf(chosen);
  details.hidden = true;
  chosen = null;
  mark(chosen);
  fillPlane();
  history.replaceState(null, "", "#");
  from?.focus({ preventScroll: true });
}

function move(steps) {
  const rows = shown();
  const place = rows.indexOf(chosen);
  const next = place < 0 ? 0 : Math.min(Math.max(place + steps, 0), rows.length - 1);
  if (next >= limit) {
    limit = next + 1;
    fillGallery();
  }
  choose(rows[next]);
  if (document.activeElement.closest("#details")) return;
  tileOf(rows[next]).focus({ preventScroll: true });
  tileOf(rows[next]).scrollIntoView({ block: "nearest" });
}

// ---- Filters

function filter(changes) {
  Object.assign(wanted, changes);
  limit = FIRST;
  element("sort").value = wanted.sort;
  for (const button of document.querySelectorAll("#groups button")) {
    button.setAttribute("aria-pressed", wanted.group === Number(button.dataset.group));
  }
  for (const button of document.querySelectorAll("#patterns button[data-pattern]")) {
    button.setAttribute("aria-pressed", wanted.pattern === button.dataset.pattern);
    button.querySelector("small").textContent = number(counted(button.dataset.pattern));
  }
  if (pointed !== null && !fits(inputs[pointed])) pointed = null;
  fillGallery();
  if (chosen !== null && !fits(inputs[chosen])) {
    close();
    return;
  }
  if (chosen !== null) fillDetails();
  fillPlane();
}

element("see-benign")?.addEventListener("click", () => {
  filter({ pattern: "HL" });
  element("gallery-title").scrollIntoView();
});

// The second click on a group or pattern takes the choice back.
function toggle(key, value) {
  filter({ [key]: wanted[key] === value ? "" : value });
}

function clear() {
  filter({ group: "", pattern: "" });
}

function followLink() {
  if (!location.hash.startsWith("#input-")) return;
  const found = inputs.findIndex((one) => fragment(one) === location.hash);
  if (found < 0) {
    element("count").textContent = "The input of this link is not in this sample.";
    return;
  }
  if (!fits(inputs[found])) clear();
  limit = Math.max(limit, shown().indexOf(found) + 1);
  fillGallery();
  choose(found);
  tileOf(found).scrollIntoView({ block: "center" });
}

if (inputs.length) {
  for (const key of ["group", "pattern"]) {
    element(`${key}s`).addEventListener("click", ({ target }) => {
      const value = target.closest(`[data-${key}]`)?.dataset[key];
      if (value !== undefined) toggle(key, key === "group" ? Number(value) : value);
    });
  }
  element("sort").addEventListener("change", (event) => filter({ sort: event.target.value }));
  for (const id of ["clear", "clear-none"]) element(id).addEventListener("click", clear);
  element("more").addEventListener("click", () => {
    limit += MORE;
    fillGallery();
  });
  element("previous").addEventListener("click", () => move(-1));
  element("next").addEventListener("click", () => move(1));
  element("close").addEventListener("click", close);
  walk(element("gallery"), { begin: (row) => (chosen ??= row), move, close });
  clear();
  const plane = element("plane");
  const rowOf = ({ points }) => points.map((dot) => dot.customdata).find((row) => row !== undefined);
  drawing.then(() => {
    if (!window.Plotly) return;
    plane.on("plotly_hover", (event) => {
      const row = rowOf(event);
      if (row !== undefined) point(row, event.event.clientX, event.event.clientY);
    });
    plane.on("plotly_unhover", unpoint);
    plane.on("plotly_click", (event) => {
      const row = rowOf(event);
      if (row !== undefined) choose(row);
    });
    plane.on("plotly_clickannotation", ({ annotation }) => toggle("pattern", annotation.name));
  });
  plane.addEventListener("keydown", moveInPlane);
  plane.addEventListener("blur", unpoint);
  // What keys have pointed at scrolls with the page; what the mouse pointed at is no longer beneath it.
  const follow = () => (document.activeElement === plane && !hint.hidden ? point(pointed, ...spot(pointed)) : unpoint());
  addEventListener("scroll", follow, { passive: true });
  addEventListener("hashchange", followLink);
  followLink();
}

for (const name of ["auc", "stability"]) show(name, payload.charts[name]);
