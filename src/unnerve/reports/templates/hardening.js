// What hardening changed: the chart of shares before and after.
"use strict";

show("shares", payload.charts.shares);
