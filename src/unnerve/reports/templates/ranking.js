// The ranking report: strip, details and charts follow the chosen score.
"use strict";

const details = element("details");
let score = payload.lead;
let chosen = null;

function tile(row) {
  const input = payload.inputs[row];
  const item = element("tile").content.cloneNode(true);
  const part = (name) => item.querySelector("." + name);
  const button = part("tile");
  button.dataset.row = row;
  button.title = `${input.id}: taken for ${input.predicted} with ${input.confidence}`;
  picture(item.querySelector("img"), input.picture);
  part("id").textContent = input.picture ? "" : input.id;
  part("rank").textContent = "#" + number(input.ranks[score]);
  part("wrong").hidden = !input.wrong;
  part("predicted").textContent = input.predicted;
  part("confidence").textContent = input.confidence;
  item.querySelector("i").style.width = 100 * input.eff + "%";
  part("text").textContent = "Eff " + input.eff_text;
  button.addEventListener("click", () => choose(row));
  return item;
}

function shownRows() {
  return [...payload.orders[score].first, ...payload.orders[score].spread];
}

function fillStrip() {
  const order = payload.orders[score];
  element("first").replaceChildren(...order.first.map(tile));
  element("spread").replaceChildren(...order.spread.map(tile));
  element("first-title").hidden = element("spread-title").hidden = order.spread.length === 0;
  mark(chosen);
}

function fillDetails() {
  const input = payload.inputs[chosen];
  const say = (part, text) => (details.querySelector(`[data-part="${part}"]`).textContent = text);
  picture(details.querySelector("img"), input.picture);
  say("id", input.id);
  say("label", input.label ?? "unknown: the data has no labels");
  say("predicted", input.predicted + (input.wrong ? " (wrong)" : ""));
  say("confidence", input.confidence);
  say("runner_up", input.runner_up);
  say("score", `${input.scores[score]} by ${score}`);
  say("eff", `${input.eff_text}: ${input.successes}`);
  const rank = number(input.ranks[score]);
  element("place").textContent = `Rank ${rank} of ${number(payload.total)}`;
  element("permalink").href = fragment(input);
}

function fragment(input) {
  return "#input-" + encodeURIComponent(input.id);
}

function choose(row) {
  chosen = row;
  fillDetails();
  details.hidden = false;
  mark(chosen);
  history.replaceState(null, "", fragment(payload.inputs[row]));
}

function close() {
  if (details.hidden) return;
  const from = tileOf(chosen);
  details.hidden = true;
  chosen = null;
  mark(chosen);
  history.replaceState(null, "", "#");
  from?.focus();
}

function move(steps) {
  const rows = shownRows();
  const place = rows.indexOf(chosen);
  const next = place < 0 ? 0 : Math.min(Math.max(place + steps, 0), rows.length - 1);
  choose(rows[next]);
  tileOf(rows[next]).focus({ preventScroll: true });
  tileOf(rows[next]).scrollIntoView({ block: "nearest" });
}

walk(element("first"), { begin: (row) => (chosen ??= row), move, close });
element("previous").addEventListener("click", () => move(-1));
element("next").addEventListener("click", () => move(1));
element("close").addEventListener("click", close);

function fillCharts() {
  const effs = payload.charts.effs[score];
  if (effs) {
    const logarithmic = element("rank-axis").value === "log";
    effs.layout.xaxis.type = logarithmic ? "log" : "linear";
    effs.layout.xaxis.range = logarithmic ? [Math.log10(0.4 / payload.total), 0.02] : effs.layout.meta.range;
    effs.layout.xaxis.dtick = logarithmic ? 1 : null;
    show("effs", effs);
  }
  for (const line of payload.charts.found?.data ?? []) {
    if (line.meta) line.line.width = line.meta.includes(score) ? 4 : 1.5;
  }
  show("found", payload.charts.found);
}

function order(name) {
  score = name;
  for (const select of document.querySelectorAll("select.score")) select.value = name;
  fillStrip();
  fillCharts();
  if (chosen !== null) fillDetails();
}

for (const select of document.querySelectorAll("select.score")) {
  select.addEventListener("change", () => order(select.value));
}

element("rank-axis")?.addEventListener("change", fillCharts);

function followLink() {
  const found = Object.keys(payload.inputs).find((row) => fragment(payload.inputs[row]) === location.hash);
  if (found === undefined) return;
  choose(Number(found));
  tileOf(found)?.scrollIntoView({ block: "center" });
}

order(score);
show("tries", payload.charts.tries);
drawing.then(() =>
  element("effs")?.on?.("plotly_click", (event) => {
    const row = event.points[0].customdata;
    if (row !== undefined) choose(row);
  }),
);
addEventListener("hashchange", followLink);
followLink();
