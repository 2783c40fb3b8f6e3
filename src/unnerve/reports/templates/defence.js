// How well defences hold: bars, and the plane of confidence and uncertainty where there is one.
"use strict";

show("bars", payload.charts.bars);
if (document.getElementById("plane")) show("plane", payload.charts.plane);
