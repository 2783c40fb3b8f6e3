// A reproduced paper: all its figures at once.
"use strict";

for (const [id, chart] of Object.entries(payload.charts)) show(id, chart);
