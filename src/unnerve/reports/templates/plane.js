// Seeds and findings in a plane: findings that lie together are chosen with a lasso, or as the neighbours of one.
"use strict";

const NEAREST = 12;
// Enough to tell findings of one page apart, and short enough for an address.
const brief = (row) => findings[row].id.slice(0, 8);
const amongst = (rows) => rows.map(brief).join(".");
// By finding, where it lies; what is not in the plane is missing.
const places = new Map();

function rowOf(point) {
  return payload.plane_rows[point.curveNumber - 1]?.[point.pointNumber];
}

function drawPlane() {
  if (!payload.plane) return;
  payload.plane_rows.forEach((rows, group) => {
    const { x, y } = payload.plane.data[group + 1];
    rows.forEach((row, place) => places.set(row, [x[place], y[place]]));
  });
  // On a telephone a finger scrolls the page; the lasso is one of the buttons above the chart.
  payload.plane.layout.dragmode = matchMedia("(pointer: fine)").matches ? "lasso" : false;
  show("plane", payload.plane);
  drawing.then(() => {
    const plane = element("plane");
    if (!plane.on) return;
    plane.on("plotly_selected", (event) => {
      const rows = (event?.points ?? []).map(rowOf).filter((row) => row !== undefined);
      if (rows.length) filter({ among: amongst(rows) });
    });
    plane.on("plotly_deselect", () => filter({ among: "" }));
    plane.on("plotly_click", ({ points }) => {
      const row = rowOf(points[0]);
      if (row === undefined) return;
      if (!shown().includes(row)) filter({ among: "" });
      choose(row);
    });
    markPlane();
  });
}

// The findings of the gallery stand out among the others.
function markPlane() {
  if (!payload.plane || !window.Plotly || !element("plane").data) return;
  const chosen = new Set(shown());
  const all = wanted.among === "";
  const marked = payload.plane_rows.map((rows) => (all ? null : [...rows.keys()].filter((place) => chosen.has(rows[place]))));
  Plotly.update("plane", { selectedpoints: [null, ...marked] }, all ? { selections: [] } : {});
}

function showNeighbours(row) {
  const middle = places.get(row);
  if (!middle) return;
  const far = ([x, y]) => (x - middle[0]) ** 2 + (y - middle[1]) ** 2;
  const nearest = [...places].sort((one, other) => far(one[1]) - far(other[1])).slice(0, NEAREST);
  clear();
  filter({ among: amongst(nearest.map(([other]) => other)) });
}
