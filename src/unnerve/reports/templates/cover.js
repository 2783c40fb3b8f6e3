// Coverage: which inputs the table by layer is about.
"use strict";

element("layer-set")?.addEventListener("change", ({ target }) => {
  for (const one of document.querySelectorAll("[data-set]")) one.hidden = one.dataset.set !== target.value;
});
