// Shared by all reports: colours of charts, pictures, tiles, arrow keys, copy buttons, sortable tables.
"use strict";

const payload = JSON.parse(document.getElementById("payload").textContent);
const CHART_SETTINGS = {
  displaylogo: false,
  responsive: true,
  modeBarButtons: [["zoom2d", "resetScale2d", "toImage"]],
};
const LASSO_SETTINGS = { ...CHART_SETTINGS, modeBarButtons: [["lasso2d", "select2d", "zoom2d", "resetScale2d", "toImage"]] };
const PRINTED_WIDTH = 680;
const charts = new Map();
// Charts are drawn as soon as their library is unpacked; all else works before.
const drawing = unpacked(document.getElementById("library").textContent);
const element = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");

// The library is most of a page and packs to two fifths. Its hash stands in the page's policy, so that it may run.
async function unpacked(packed) {
  if (!packed) return;
  if (!("DecompressionStream" in window)) {
    for (const place of document.querySelectorAll(".chart")) {
      place.textContent = "This browser is too old to unpack the charts; the tables hold their figures.";
    }
    return;
  }
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

// Charts are written in the light palette; every colour of it is exchanged for the one in use.
function themed(value, colours) {
  if (typeof value === "string") return colours.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => themed(item, colours));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, themed(item, colours)]));
  }
  return value;
}

// On paper a chart keeps the light palette and the width of a page.
function paint(id, printed) {
  if (!window.Plotly) return;
  const names = printed ? [] : Object.entries(payload.colours);
  const chart = themed(charts.get(id), new Map(names.map(([light, name]) => [light, colour(name)])));
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  chart.layout.font.size = 0.8 * rem;
  for (const axis of [chart.layout.xaxis, chart.layout.yaxis]) axis.title.font = { size: 0.85 * rem };
  chart.layout.height *= rem / 16;
  // A plane of equal axes leaves what is higher than wide empty.
  if (chart.layout.yaxis.scaleanchor) chart.layout.height = Math.min(chart.layout.height, element(id).clientWidth + 2 * rem);
  // On a narrow screen the legend has one line per entry.
  if (chart.layout.showlegend !== false && element(id).clientWidth < 30 * rem) {
    chart.layout.height += 1.2 * rem * chart.data.filter((trace) => trace.showlegend !== false).length;
  }
  if (printed) chart.layout.width = PRINTED_WIDTH;
  Plotly.react(id, chart.data, chart.layout, id === "plane" && payload.plane ? LASSO_SETTINGS : CHART_SETTINGS);
  if (!chart.layout.meta?.thin_names) return;
  element(id).removeAllListeners("plotly_afterplot");
  element(id).on("plotly_afterplot", () => thinNames(id));
  thinNames(id);
}

// Names within a chart that would cover an earlier one are left out.
function thinNames(id) {
  const kept = [];
  for (const name of element(id).querySelectorAll(".annotation")) {
    const box = name.getBoundingClientRect();
    const covers = (other) => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom;
    const hidden = kept.some(covers);
    name.style.visibility = hidden ? "hidden" : "";
    if (!hidden) kept.push(box);
  }
}

function show(id, chart) {
  if (!chart) return;
  charts.set(id, chart);
  drawing.then(() => paint(id, false));
}

function paintAll(printed) {
  for (const id of charts.keys()) paint(id, printed);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => paintAll(false));
addEventListener("beforeprint", () => paintAll(true));
addEventListener("afterprint", () => paintAll(false));

// What is folded cannot be opened on paper.
const unfolded = new Set();
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details:is(.how-run, .rule):not([open])")) unfolded.add(part).forEach((one) => (one.open = true));
});
addEventListener("afterprint", () => {
  for (const part of unfolded) part.open = false;
  unfolded.clear();
});

function picture(image, thumbnail) {
  image.hidden = !thumbnail;
  if (!thumbnail) return;
  image.src = thumbnail.uri;
  image.classList.toggle("exact", thumbnail.exact);
}

function tileOf(row) {
  return document.querySelector(`.tile[data-row="${row}"]`);
}

// The tab key stops at one tile: the chosen one if it is there.
function mark(chosen) {
  for (const button of document.querySelectorAll(".tile")) {
    button.setAttribute("aria-pressed", Number(button.dataset.row) === chosen);
    button.tabIndex = -1;
  }
  const way = tileOf(chosen) ?? document.querySelector(".tile");
  if (way) way.tabIndex = 0;
}

// The number of tiles in a row of a list, for the keys up and down.
function columns(list) {
  const tops = [...list.children].map((item) => item.offsetTop);
  return tops.filter((top) => top === tops[0]).length;
}

// Arrow keys move among the tiles of a list, or in the details of the chosen one; Escape closes these.
function walk(list, { begin, move, close }) {
  const steps = { ArrowLeft: () => -1, ArrowRight: () => 1, ArrowUp: () => -columns(list), ArrowDown: () => columns(list) };
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("select, input")) return;
    if (event.key === "Escape") close();
    const active = document.activeElement.closest(".tile, #details");
    if (!(event.key in steps) || !active) return;
    event.preventDefault();
    if (active.dataset.row) begin(Number(active.dataset.row));
    move(steps[event.key]());
  });
}

async function copy(button, code) {
  const words = button.textContent;
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
  }
  setTimeout(() => (button.textContent = words), 2000);
}

for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", () => copy(button, button.previousElementSibling.querySelector("code")));
}
for (const button of document.querySelectorAll("[data-copies]")) {
  button.addEventListener("click", () => copy(button, element(button.dataset.copies)));
}

// Numbers sort as numbers and what is missing comes last, in either direction.
function compare(one, other, sign) {
  if (one === "" || other === "") return (one === "") - (other === "");
  const numbers = !isNaN(one) && !isNaN(other);
  return sign * (numbers ? one - other : one.localeCompare(other));
}

function sort(heading) {
  const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  for (const other of heading.parentElement.children) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
  const body = heading.closest("table").tBodies[0];
  const key = (row) => row.cells[heading.cellIndex].dataset.key;
  body.append(...[...body.rows].sort((one, other) => compare(key(one), key(other), sign)));
}

// ---- Sections in a bar that stays, and the keys

function fillSections() {
  const headings = [...document.querySelectorAll("main > section[aria-labelledby] > h2[id]")];
  if (headings.length < 3) return;
  const bar = document.createElement("nav");
  bar.className = "sections";
  bar.setAttribute("aria-label", "Sections");
  const links = headings.map((heading) => {
    const link = bar.appendChild(document.createElement("a"));
    link.href = "#" + heading.id;
    link.textContent = heading.dataset.short ?? heading.textContent;
    return link;
  });
  headings[0].parentElement.before(bar);
  const seen = new IntersectionObserver(
    () => {
      const passed = headings.filter((heading) => heading.getBoundingClientRect().top < 120);
      links.forEach((link, place) => link.toggleAttribute("aria-current", place === passed.length - 1));
    },
    { rootMargin: "-100px 0px 0px 0px", threshold: [0, 1] },
  );
  for (const heading of headings) seen.observe(heading);
}

fillSections();

addEventListener("keydown", (event) => {
  const keys = element("keys");
  if (event.key !== "?" || !keys || keys.open || event.target.closest("input, select, textarea")) return;
  keys.showModal();
});
for (const button of document.querySelectorAll("[data-opens]")) {
  button.addEventListener("click", () => element(button.dataset.opens).showModal());
}

for (const button of document.querySelectorAll("thead button")) {
  button.addEventListener("click", () => sort(button.parentElement));
}
