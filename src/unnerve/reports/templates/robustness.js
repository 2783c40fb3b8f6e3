// How robust a model is: its one chart.
"use strict";

show("main-chart", payload.charts.main);
