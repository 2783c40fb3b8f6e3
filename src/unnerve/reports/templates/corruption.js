// What natural changes do: the two charts.
"use strict";

show("lines", payload.charts.lines);
show("shades", payload.charts.table);
