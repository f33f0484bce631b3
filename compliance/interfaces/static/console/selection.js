// The rows that are chosen in a list: one box for the page, ranges with the shift key, and how many there are. Without
// it each row is ticked by itself, or everything that the filters find.
"use strict";
(() => {
  const bar = document.querySelector("form[data-selection]");
  if (!bar) return;
  const boxes = [...document.querySelectorAll('input[type="checkbox"][form="selection"][name="record_ids"]')];
  const all = bar.querySelector('input[name="everything"]');
  const said = bar.querySelector("[data-chosen]");
  const page = document.querySelector("[data-choose-page]");
  const words = said.dataset.chosen;
  const before = said.textContent;
  let last = null;

  const show = () => {
    const everything = Boolean(all && all.checked);
    const ticked = boxes.filter((box) => box.checked).length;
    for (const box of boxes) {
      box.disabled = everything;
      box.closest("tr")?.classList.toggle("chosen", everything || box.checked);
    }
    if (page) {
      page.disabled = everything;
      page.checked = everything || (ticked > 0 && ticked === boxes.length);
      page.indeterminate = !everything && ticked > 0 && ticked < boxes.length;
    }
    bar.classList.toggle("some", everything || ticked > 0);
    said.hidden = everything;
    said.textContent = ticked ? words.replace("%s", ticked) : before;
  };

  if (page && boxes.length) {
    page.hidden = false;
    page.addEventListener("change", () => {
      for (const box of boxes) box.checked = page.checked;
      show();
    });
  }
  for (const [place, box] of boxes.entries()) {
    box.addEventListener("click", (event) => {
      if (event.shiftKey && last !== null) {
        const [from, to] = [Math.min(last, place), Math.max(last, place)];
        for (const each of boxes.slice(from, to + 1)) each.checked = box.checked;
      }
      last = place;
      show();
    });
  }
  if (all) all.addEventListener("change", show);
  window.addEventListener("pageshow", show);
  show();
})();
