// Two models compared: all of it stands in the markup, and what all pages share is enough.
"use strict";
