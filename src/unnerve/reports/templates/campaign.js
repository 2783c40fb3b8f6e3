// The report of campaigns: matrix, gallery and charts follow the chosen pair of classes, method and size.
"use strict";

const OTHERS = -1;
const FIRST = 24;
const MORE = 48;
const PAIRS = 8;
const details = element("details");
const findings = payload.findings;
const sizes = findings.map((finding) => finding.change).filter((change) => change !== null);
const least = Math.min(...sizes);
const most = Math.max(...sizes);
const USUAL = { before: "", after: "", method: payload.method, size: Infinity, sort: "turn", find: "", among: "", grouped: false };
const wanted = { ...USUAL };
const selected = new Set();
let limit = FIRST;
let chosen = null;

const className = (place) => (Number(place) === OTHERS ? "others" : payload.classes[place]);
const shortName = (place) => (Number(place) === OTHERS ? "others" : payload.short_classes[place]);
const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

// ---- Which findings

function fits(value, place, own) {
  if (value === "") return true;
  return Number(value) === OTHERS ? !own.includes(place) : Number(value) === place;
}

function shown() {
  const { rows, columns: reached } = payload.matrix;
  const among = wanted.among === "" ? null : new Set(wanted.among.split("."));
  const left = [...findings.keys()].filter((row) => {
    const one = findings[row];
    const method = wanted.method === "" || Number(wanted.method) === one.method;
    const size = wanted.size === Infinity || (one.change !== null && one.change <= wanted.size);
    return method && size && (among?.has(brief(row)) ?? true) && found(one) && fits(wanted.before, one.before, rows) && fits(wanted.after, one.after, reached);
  });
  const last = (value) => (value === null ? Infinity : value);
  // Where all changes reach the radius, the smaller one by L2 comes first.
  const key = { turn: () => 0, change: (one) => last(one.change), sureness: (one) => last(-one.sureness), queries: (one) => one.queries };
  const of = key[wanted.sort];
  const l2 = (row) => (wanted.sort === "change" ? Number(findings[row].l2.replaceAll(",", "")) : 0);
  left.sort((a, b) => of(findings[a]) - of(findings[b]) || l2(a) - l2(b) || a - b);
  return wanted.grouped ? bySeed(left) : left;
}

function found(one) {
  const words = wanted.find.toLowerCase();
  if (words === "") return true;
  return [one.id, one.seed, className(one.before), className(one.after)].some((text) => text.toLowerCase().includes(words));
}

// One finding for each wrong class of a seed, seeds in the order of their first finding.
function bySeed(rows) {
  const seeds = new Map();
  for (const row of rows) {
    const one = findings[row];
    if (!seeds.has(one.original)) seeds.set(one.original, new Map());
    const kinds = seeds.get(one.original);
    if (!kinds.has(one.after)) kinds.set(one.after, row);
  }
  return [...seeds.values()].flatMap((kinds) => [...kinds.values()]);
}

// ---- Gallery

// A tile is a button, which may hold no player: those stand in the details only.
function trio(place, finding, playable = false) {
  const parts = [
    ["original", payload.originals[finding.original]],
    ["found", finding.found],
    [finding.difference?.caption || `change \u2264\u00a0${finding.scale}`, finding.difference],
  ];
  const drawn = finding.found ? parts : [];
  place.hidden = drawn.length === 0;
  place.replaceChildren(
    ...drawn.map(([name, thumbnail]) => {
      const figure = element("figure").content.cloneNode(true);
      picture(figure.querySelector("img"), thumbnail);
      figure.querySelector("small").textContent = name;
      if (playable && thumbnail?.sound) {
        const player = element("player").content.cloneNode(true).firstElementChild;
        player.src = thumbnail.sound;
        player.setAttribute("aria-label", name);
        figure.querySelector(".figure").append(player);
      }
      return figure;
    }),
  );
}

function tile(row) {
  const finding = findings[row];
  const item = element("tile").content.cloneNode(true);
  const part = (name) => item.querySelector("." + name);
  const [was, is] = [className(finding.before), className(finding.after)];
  item.querySelector("li").id = fragment(finding).slice(1);
  const button = part("tile");
  button.dataset.row = row;
  button.title = `${was}, taken for ${is}`;
  trio(part("trio"), finding);
  part("was").textContent = className(finding.before);
  part("is").textContent = className(finding.after);
  part("sure").textContent = `${finding.confidence_before} sure, then ${finding.confidence_after}`;
  const method = payload.methods.length > 1 ? `, ${payload.methods[finding.method]}` : "";
  const l2 = payload.norm === "L2" ? "" : `, L2 ${finding.l2}`;
  const quieter = finding.quieter ? `${finding.quieter} below the clip, ` : "";
  part("how").textContent = `${quieter}${payload.norm} ${finding.reach}${l2}${method}` + (finding.found ? "" : `. ${finding.values}`);
  button.classList.toggle("selected", selected.has(finding.id));
  button.addEventListener("click", () => choose(row));
  return item;
}

// ---- Selection

const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);

function exportCommand(ids) {
  return `unnerve export ${quoted(payload.folder)} --to ${quoted(payload.folder + "-chosen")} --ids ${quoted(ids.join(","))}`;
}

function pythonLines(finding) {
  return [
    "import numpy as np, pandas as pd",
    `row = pd.read_parquet(${JSON.stringify(finding.file)}).set_index("id").loc[${JSON.stringify(finding.id)}]`,
    'x = np.frombuffer(row["input"], row["dtype"]).reshape(row["shape"])',
    ...payload.python,
  ].join("\n");
}

function copyText(button, text) {
  const code = document.createElement("code");
  code.textContent = text;
  code.className = "unseen";
  button.after(code);
  copy(button, code).finally(() => setTimeout(() => code.remove(), 100));
}

function select(row) {
  const { id } = findings[row];
  if (!selected.delete(id)) selected.add(id);
  tileOf(row)?.classList.toggle("selected", selected.has(id));
  fillSelection();
}

const selectedRows = () => [...findings.keys()].filter((row) => selected.has(findings[row].id));

function selectShown() {
  for (const row of shown()) selected.add(findings[row].id);
  fillGallery();
  fillSelection();
}

function fillSelection() {
  element("selection").hidden = selected.size === 0;
  element("selected-count").textContent = `${number(selected.size)} selected`;
  element("lacking").textContent = missingWords(selectedRows());
  if (chosen !== null) element("select-one").textContent = selected.has(findings[chosen].id) ? "Unselect" : "Select";
}

function heading(row, rows) {
  const one = findings[row];
  const item = document.createElement("li");
  item.className = "seed-heading";
  const kinds = rows.filter((other) => findings[other].original === one.original).map((other) => shortName(findings[other].after));
  item.textContent = `${shortName(one.before)} (${one.seed}) became ${kinds.join(", ")}`;
  return item;
}

function tiles(rows) {
  const first = rows.slice(0, limit);
  if (!wanted.grouped) return first.map(tile);
  const begins = (place) => place === 0 || findings[first[place]].original !== findings[first[place - 1]].original;
  return first.flatMap((row, place) => (begins(place) ? [heading(row, rows), tile(row)] : [tile(row)]));
}

function fillGallery() {
  const rows = shown();
  element("gallery").replaceChildren(...tiles(rows));
  const left = rows.length - limit;
  element("more").hidden = left <= 0;
  element("more").textContent = `Show ${number(Math.min(left, MORE))} more of ${number(left)}`;
  element("none").hidden = rows.length > 0;
  element("count").textContent = `${plural(rows.length, "finding")} of ${number(findings.length)} in this sample`;
  mark(chosen);
}

function fillDetails() {
  const finding = findings[chosen];
  const rows = shown();
  const say = (part, text) => (details.querySelector(`[data-part="${part}"]`).textContent = text);
  trio(element("details-trio"), finding, true);
  fillCompare(finding);
  say("before", `${className(finding.before)}, ${finding.confidence_before} sure`);
  say("after", `${className(finding.after)}, ${finding.confidence_after} sure`);
  say("label", finding.label ?? "unknown: the data has no labels");
  const norms = { "L\u221e": finding.linf, L2: finding.l2, L0: finding.l0 };
  const own = Object.keys(norms).sort((a, b) => (b === payload.norm) - (a === payload.norm));
  const quieter = finding.quieter ? `${finding.quieter} below the clip, ` : "";
  say("change", quieter + own.map((norm) => `${norm} ${norms[norm]}`).join(", "));
  say("values", finding.values);
  details.querySelector('[data-part="values"]').parentElement.hidden = !finding.values;
  const spent = `${number(finding.queries)} ${finding.queries === 1 ? "query" : "queries"}`;
  say("method", `${payload.methods[finding.method]}, step ${number(finding.step)}, after ${spent}`);
  say("margin", `${finding.margin} logits`);
  for (const part of ["seed", "id", "file"]) say(part, finding[part]);
  element("place").textContent = `${number(rows.indexOf(chosen) + 1)} of ${number(rows.length)}`;
  element("permalink").href = address();
  fillSelection();
}

// ---- Original and finding, one over the other

let blinking = null;

function fillCompare(finding) {
  const original = payload.originals[finding.original];
  element("compare").hidden = !(original && finding.found) || Boolean(finding.found?.sound);
  picture(element("under"), original);
  picture(element("over-it"), finding.found);
}

function flicker(on) {
  clearInterval(blinking);
  blinking = on ? setInterval(() => element("over-it").classList.toggle("away"), 500) : null;
  element("over-it").classList.remove("away");
  element("compare").classList.toggle("flickering", on);
  element("flicker").setAttribute("aria-pressed", on);
}

function enlarge(on) {
  details.classList.toggle("large", on);
  element("enlarge").setAttribute("aria-pressed", on);
}

// ---- What is shown, in the address: it can be bookmarked and sent

function address() {
  const view = new URLSearchParams();
  for (const [name, value] of Object.entries(wanted)) if (value !== USUAL[name]) view.set(name, value);
  const words = view.toString();
  return (chosen === null ? "#" : fragment(findings[chosen])) + (words ? `?${words}` : "");
}

function readAddress() {
  const view = new URLSearchParams(location.hash.split("?")[1] ?? "");
  const sorts = [...element("sort").options].map((option) => option.value);
  const changes = {};
  for (const name of ["before", "after", "method", "find", "among"]) changes[name] = view.get(name) ?? USUAL[name];
  changes.size = Number(view.get("size") ?? Infinity) || Infinity;
  changes.sort = sorts.includes(view.get("sort")) ? view.get("sort") : USUAL.sort;
  changes.grouped = view.get("grouped") === "true";
  return changes;
}

function fragment(finding) {
  return "#finding-" + encodeURIComponent(finding.id);
}

function choose(row) {
  chosen = row;
  fillDetails();
  details.hidden = false;
  mark(chosen);
  history.replaceState(null, "", address());
}

function close() {
  if (details.hidden) return;
  const from = tileOf(chosen);
  details.hidden = true;
  flicker(false);
  chosen = null;
  mark(chosen);
  history.replaceState(null, "", address());
  from?.focus();
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
  tileOf(rows[next]).focus({ preventScroll: true });
  tileOf(rows[next]).scrollIntoView({ block: "nearest" });
}

// ---- Filters

function options(select, key, own) {
  const met = [...new Set(findings.map((finding) => finding[key]))].sort((a, b) => a - b);
  const places = own.includes(OTHERS) ? [...met, OTHERS] : met;
  select.append(...places.map((place) => new Option(className(place), place)));
}

function filter(changes) {
  Object.assign(wanted, changes);
  limit = FIRST;
  for (const name of ["before", "after", "sort"]) element(name).value = wanted[name];
  for (const select of document.querySelectorAll("select.method")) select.value = wanted.method;
  if (element("find").value !== wanted.find) element("find").value = wanted.find;
  element("grouped").checked = wanted.grouped;
  history.replaceState(null, "", address());
  if (wanted.size === Infinity) element("size").value = 100;
  element("size-text").textContent = wanted.size === Infinity ? "any" : `${payload.norm} ${Number(wanted.size.toPrecision(3))}`;
  fillMatrix();
  fillGallery();
  fillBoard();
  markPlane();
  if (chosen === null) return;
  if (shown().includes(chosen)) fillDetails();
  else close();
}

// ---- Methods side by side

const STRIP = 9;

function fillBoard() {
  const board = element("board");
  if (!board) return;
  const buttons = [...board.querySelectorAll("[data-method]")];
  for (const button of buttons) button.setAttribute("aria-pressed", button.dataset.method === wanted.method);
  const winner = board.querySelector(".wins [data-method]") ?? buttons[0];
  const place = wanted.method === "" ? Number(winner.dataset.method) : Number(wanted.method);
  const rows = [...findings.keys()].filter((row) => findings[row].method === place && findings[row].found).slice(0, STRIP);
  // Rows of tables are not drawn, so a method without pairs may still have found something.
  const nothing = Object.keys(payload.matrix.cells[place] ?? {}).length === 0;
  element("found-strip").hidden = rows.length === 0 && !nothing;
  element("strip-what").hidden = nothing;
  element("strip-nothing").hidden = !nothing;
  element("strip-name").textContent = payload.methods[place];
  element("small-pairs").replaceChildren(...rows.map(smallPair));
}

function smallPair(row) {
  const finding = findings[row];
  const item = document.createElement("li");
  const link = item.appendChild(document.createElement("a"));
  link.href = fragment(finding);
  for (const thumbnail of [payload.originals[finding.original], finding.found]) {
    const image = link.appendChild(document.createElement("img"));
    image.alt = "";
    picture(image, thumbnail);
  }
  const words = link.appendChild(document.createElement("span"));
  const [was, is] = [finding.before, finding.after].map((place) => {
    const name = document.createElement("b");
    name.textContent = shortName(place);
    return name;
  });
  words.append(was, " \u2192 ", is, ` (${finding.confidence_after})`);
  return item;
}

function clear() {
  filter({ before: "", after: "", method: USUAL.method, size: Infinity, find: "", among: "" });
}

// ---- Matrix

function counts(button) {
  const { before, after } = button.dataset;
  return payload.matrix.cells[wanted.method]?.[`${before},${after}`] ?? [0, 0];
}

function fillMatrix() {
  const buttons = [...document.querySelectorAll("#matrix button")];
  const inShares = element("matrix-unit").value === "share";
  // Kinds of the others are of several classes each, so that they may be more than their seeds.
  const seeds = payload.matrix.seeds[wanted.method] ?? payload.matrix.seeds[""];
  const share = (button) => Math.min(1, counts(button)[0] / (seeds[button.dataset.before] ?? 1));
  for (const place of document.querySelectorAll("#matrix .seeds")) place.textContent = number(seeds[place.dataset.before] ?? 0);
  const top = Math.max(1, ...buttons.map((button) => counts(button)[0]));
  for (const button of buttons) {
    const [kinds, errors] = counts(button);
    const { before, after } = button.dataset;
    button.disabled = kinds === 0;
    const figure = inShares ? Math.max(1, Math.round(100 * share(button))) : number(kinds);
    button.textContent = kinds ? figure : before === after && before !== String(OTHERS) ? "" : "\u00b7";
    button.style.setProperty("--heat", kinds ? (inShares ? share(button) : Math.sqrt(kinds / top)).toFixed(3) : 0);
    // What is seen is part of what is heard, so that the cell can be named by voice.
    button.setAttribute("aria-label", words(before, after, kinds, errors) + (inShares && kinds ? `, ${figure} per cent` : ""));
    button.title = kinds ? words(before, after, kinds, errors) : "";
    button.setAttribute("aria-pressed", wanted.before === before && wanted.after === after);
    button.tabIndex = -1;
  }
  const way = buttons.find((button) => button.getAttribute("aria-pressed") === "true") ?? buttons.find((button) => !button.disabled);
  if (way) way.tabIndex = 0;
  fillPairs();
}

function words(before, after, kinds, errors) {
  // Of gathered classes a seed may have become several: those are kinds, not seeds.
  const noun = [before, after].includes(String(OTHERS)) ? "kind" : "seed";
  return `${className(before)} became ${className(after)}: ${plural(kinds, noun)}, ${plural(errors, "error")}`;
}

function fillPairs() {
  // What gathers many classes is no pair of its own.
  const own = ([key]) => !key.split(",").includes(String(OTHERS));
  const cells = Object.entries(payload.matrix.cells[wanted.method] ?? {}).filter(own);
  const common = cells.sort((a, b) => b[1][0] - a[1][0] || b[1][1] - a[1][1]).slice(0, PAIRS);
  const top = common[0]?.[1][0];
  element("pairs").replaceChildren(
    ...common.map(([key, [kinds, errors]]) => {
      const [before, after] = key.split(",");
      const item = document.createElement("li");
      const button = item.appendChild(document.createElement("button"));
      const say = (tag, text) => (button.appendChild(document.createElement(tag)).textContent = text);
      button.type = "button";
      say("b", `${className(before)} \u2192 ${className(after)}`);
      say("span", `${plural(kinds, "seed")}, ${plural(errors, "error")}`);
      button.style.setProperty("--share", kinds / top);
      button.setAttribute("aria-pressed", wanted.before === before && wanted.after === after);
      button.addEventListener("click", () => pair(before, after));
      return item;
    }),
  );
}

// The second click on a pair takes the choice back.
function pair(before, after) {
  const again = wanted.before === before && wanted.after === after;
  filter(again ? { before: "", after: "" } : { before, after, size: Infinity });
}

const WAYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// To the next cell with a number in the direction of the key.
function moveInMatrix(event) {
  const way = WAYS[event.key];
  if (!way || !event.target.closest("button")) return;
  event.preventDefault();
  const grid = [...element("matrix").tBodies[0].rows].map((row) => [...row.querySelectorAll("button")]);
  let row = grid.findIndex((buttons) => buttons.includes(event.target));
  let column = grid[row].indexOf(event.target);
  do {
    row += way[0];
    column += way[1];
  } while (grid[row]?.[column]?.disabled);
  const next = grid[row]?.[column];
  if (!next) return;
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

// ---- Charts

function fillCharts() {
  const [over, axis] = [element("over").value, element("axis").value];
  for (const [figure, drawn] of Object.entries(payload.charts)) {
    const chart = drawn[over];
    chart.layout.xaxis.type = axis;
    // The ticks that the chart comes with are those of its logarithmic axis.
    chart.layout.xaxis.tickmode = axis === "log" ? "array" : "auto";
    chart.layout.xaxis.rangemode = axis === "linear" ? "tozero" : "normal";
    show(`chart-${figure}`, chart);
  }
}

function followLink() {
  if (!location.hash.startsWith("#finding-")) return;
  const found = findings.findIndex((finding) => fragment(finding) === location.hash.split("?")[0]);
  if (found < 0) {
    element("count").textContent = "The finding of this link is not in this sample; the parquet files below hold it.";
    return;
  }
  if (!shown().includes(found)) clear();
  limit = Math.max(limit, shown().indexOf(found) + 1);
  fillGallery();
  choose(found);
  tileOf(found).scrollIntoView({ block: "center" });
}

for (const [id, chart] of Object.entries(payload.coverage)) show(id, chart);

if (findings.length) {
  options(element("before"), "before", payload.matrix.rows);
  options(element("after"), "after", payload.matrix.columns);
  for (const name of ["before", "after", "sort"]) {
    element(name).addEventListener("change", (event) => filter({ [name]: event.target.value }));
  }
  for (const select of document.querySelectorAll("select.method")) {
    select.addEventListener("change", () => filter({ method: select.value }));
  }
  element("size").addEventListener("input", (event) => {
    const share = event.target.value / 100;
    filter({ size: share === 1 ? Infinity : least + share * (most - least) });
  });
  // On the edge of the region, all changes are equally large.
  element("size").parentElement.hidden = least === most;
  element("matrix-unit").addEventListener("change", fillMatrix);
  element("find").addEventListener("input", (event) => filter({ find: event.target.value }));
  element("grouped").addEventListener("change", (event) => filter({ grouped: event.target.checked }));
  element("select-one").addEventListener("click", () => select(chosen));
  element("unselect").addEventListener("click", () => {
    selected.clear();
    fillSelection();
    fillGallery();
  });
  element("select-shown").addEventListener("click", selectShown);
  element("download").addEventListener("click", () => download(selectedRows()));
  element("neighbours").addEventListener("click", () => showNeighbours(chosen));
  element("neighbours").hidden = !payload.plane;
  element("copy-ids").addEventListener("click", ({ target }) => copyText(target, [...selected].join(",")));
  element("copy-export").addEventListener("click", ({ target }) => copyText(target, exportCommand([...selected])));
  element("copy-one").addEventListener("click", ({ target }) => copyText(target, exportCommand([findings[chosen].id])));
  element("copy-verify").addEventListener("click", ({ target }) => copyText(target, `${payload.verify} --ids ${quoted(findings[chosen].id)}`));
  element("copy-verify").hidden = !payload.verify;
  element("wipe").addEventListener("input", ({ target }) => {
    flicker(false);
    element("compare").style.setProperty("--wipe", `${target.value}%`);
  });
  element("flicker").addEventListener("click", () => flicker(blinking === null));
  element("enlarge").addEventListener("click", () => enlarge(!details.classList.contains("large")));
  element("copy-python").addEventListener("click", ({ target }) => copyText(target, pythonLines(findings[chosen])));
  addEventListener("keydown", (event) => {
    if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      element("find").focus();
    } else if (event.key === "g") filter({ grouped: !wanted.grouped });
    else if (event.key === "a") selectShown();
    else if (event.key === "n" && chosen !== null) showNeighbours(chosen);
    else if (event.key === "x" && chosen !== null) select(chosen);
    else if (event.key === "f" && chosen !== null) flicker(blinking === null);
    else if (event.key === "z" && chosen !== null) enlarge(!details.classList.contains("large"));
  });
  for (const id of ["clear", "clear-none"]) element(id).addEventListener("click", clear);
  element("filters").addEventListener("submit", (event) => event.preventDefault());
  element("matrix").addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (button) pair(button.dataset.before, button.dataset.after);
  });
  element("matrix").addEventListener("keydown", moveInMatrix);
  for (const button of document.querySelectorAll("#board [data-method]")) {
    const own = button.dataset.method;
    button.addEventListener("click", () => filter({ method: wanted.method === own ? "" : own }));
  }
  element("more").addEventListener("click", () => {
    limit += MORE;
    fillGallery();
  });
  element("previous").addEventListener("click", () => move(-1));
  element("next").addEventListener("click", () => move(1));
  element("close").addEventListener("click", close);
  walk(element("gallery"), { begin: (row) => (chosen ??= row), move, close });
  for (const id of ["over", "axis"]) element(id).addEventListener("change", fillCharts);
  addEventListener("hashchange", () => {
    if (location.hash.includes("?")) filter(readAddress());
    followLink();
  });
  const asked = location.hash;
  filter(readAddress());
  history.replaceState(null, "", asked || "#");
  fillCharts();
  drawPlane();
  followLink();
}
