// Loads the page again when a file of the package changes (on an author's own machine).
"use strict";

let before = null;
setInterval(async () => {
  try {
    const now = await (await fetch("/state")).text();
    if (before !== null && now !== before) window.location.reload();
    before = now;
  } catch {
    // The server has ended; it may come back.
  }
}, 1000);
