// Shared by all reports: colours of charts, copy buttons, sortable tables.
"use strict";

const payload = JSON.parse(document.getElementById("payload").textContent);
const CHART_SETTINGS = {
  displaylogo: false,
  responsive: true,
  modeBarButtons: [["zoom2d", "resetScale2d", "toImage"]],
};
const PRINTED_WIDTH = 680;
const charts = new Map();

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
  const names = printed ? [] : Object.entries(payload.colours);
  const chart = themed(charts.get(id), new Map(names.map(([light, name]) => [light, colour(name)])));
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  chart.layout.font.size = 0.8 * rem;
  for (const axis of [chart.layout.xaxis, chart.layout.yaxis]) axis.title.font = { size: 0.85 * rem };
  chart.layout.height *= rem / 16;
  // On a narrow screen the legend has one line per entry.
  if (chart.layout.showlegend !== false && document.getElementById(id).clientWidth < 30 * rem) {
    chart.layout.height += 1.2 * rem * chart.data.filter((trace) => trace.showlegend !== false).length;
  }
  if (printed) chart.layout.width = PRINTED_WIDTH;
  Plotly.react(id, chart.data, chart.layout, CHART_SETTINGS);
}

function show(id, chart) {
  if (!chart) return;
  charts.set(id, chart);
  paint(id, false);
}

function paintAll(printed) {
  for (const id of charts.keys()) paint(id, printed);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => paintAll(false));
addEventListener("beforeprint", () => paintAll(true));
addEventListener("afterprint", () => paintAll(false));

async function copy(button) {
  const code = button.previousElementSibling.querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
  }
  setTimeout(() => (button.textContent = "Copy"), 2000);
}

for (const button of document.querySelectorAll(".copy")) button.addEventListener("click", () => copy(button));

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

for (const button of document.querySelectorAll("thead button")) {
  button.addEventListener("click", () => sort(button.parentElement));
}
