// Which neurons react: the charts, one of which follows the chosen method.
"use strict";

payload.charts.layers.forEach((chart, place) => show(place ? `layers-${place}` : "layers", chart));
show("overlap", payload.charts.overlap);
show("plane", payload.charts.plane);
const chooser = element("method");
const chosenMethod = () => show("neurons", payload.charts.neurons[chooser ? chooser.value : 0]);
if (chooser) chooser.addEventListener("change", chosenMethod);
chosenMethod();
