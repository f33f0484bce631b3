// Drawing a signature with mouse, touch, pen or keyboard. Without this script a typed signature works all the same.
"use strict";

(() => {
  const printing = document.getElementById("print");
  if (printing) {
    printing.closest("[hidden]").hidden = false;
    printing.addEventListener("click", () => window.print());
  }
  const form = document.getElementById("signing");
  const pad = document.getElementById("pad");
  const fault = document.getElementById("fault") || document.getElementById("errors");
  if (fault) fault.focus();
  if (!form || !pad) return;

  const WIDTH = 600, HEIGHT = 200, STEP = 4, MOST_NUMBERS = 18000;
  const typing = document.getElementById("typing");
  const drawing = document.getElementById("drawing");
  const typed = document.getElementById("typed");
  const says = document.getElementById("pad-says");
  const pen = pad.getContext("2d");
  const strokes = form.elements.drawn.value ? JSON.parse(form.elements.drawn.value) : []; // drawn before a fault
  let current = null;      // the stroke of the pointer
  let keyPen = null;       // where the keyboard's pen is: {x, y, down}

  const scale = Math.max(1, Math.min(3, window.devicePixelRatio || 1));
  pad.width = WIDTH * scale;
  pad.height = HEIGHT * scale;

  document.getElementById("kinds").hidden = false;
  const kind = () => form.elements.kind.value;
  const choose = () => {
    typing.hidden = kind() !== "typed";
    drawing.hidden = kind() !== "drawn";
    typed.required = kind() === "typed";
  };
  for (const radio of form.querySelectorAll("input[name=kind]")) radio.addEventListener("change", choose);
  choose();

  const tenth = (number) => Math.round(number * 10) / 10;
  const place = (event) => {
    const box = pad.getBoundingClientRect();
    return [tenth(((event.clientX - box.left) / box.width) * WIDTH), tenth(((event.clientY - box.top) / box.height) * HEIGHT)];
  };
  const total = () => strokes.reduce((sum, stroke) => sum + stroke.length, 0);

  function draw() {
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, WIDTH, HEIGHT);
    pen.strokeStyle = "#c9b98f";
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(30, 158);
    pen.lineTo(WIDTH - 30, 158);
    pen.stroke();
    pen.strokeStyle = "#16243a";
    pen.lineWidth = 2.6;
    pen.lineCap = pen.lineJoin = "round";
    for (const stroke of strokes) {
      pen.beginPath();
      pen.moveTo(stroke[0], stroke[1]);
      for (let at = 2; at < stroke.length; at += 2) pen.lineTo(stroke[at], stroke[at + 1]);
      if (stroke.length === 2) pen.lineTo(stroke[0], stroke[1]);
      pen.stroke();
    }
    if (keyPen && document.activeElement === pad) {
      pen.strokeStyle = keyPen.down ? "#9c1c1c" : "#0f4c5c";
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.moveTo(keyPen.x - 9, keyPen.y);
      pen.lineTo(keyPen.x + 9, keyPen.y);
      pen.moveTo(keyPen.x, keyPen.y - 9);
      pen.lineTo(keyPen.x, keyPen.y + 9);
      pen.stroke();
    }
  }
  const tell = () => {
    const words = strokes.length === 0 ? says.dataset.none : strokes.length === 1 ? says.dataset.one : says.dataset.many;
    says.textContent = words.replace("{count}", strokes.length);
  };

  pad.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || total() > MOST_NUMBERS) return;
    event.preventDefault();
    pad.setPointerCapture(event.pointerId);
    current = place(event);
    strokes.push(current);
    draw();
  });
  pad.addEventListener("pointermove", (event) => {
    if (!current || total() > MOST_NUMBERS) return;
    for (const each of event.getCoalescedEvents ? event.getCoalescedEvents() : [event]) {
      const [x, y] = place(each);
      if (x !== current[current.length - 2] || y !== current[current.length - 1]) current.push(x, y);
    }
    draw();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    pad.addEventListener(end, () => {
      current = null;
      tell();
    });
  }

  const moves = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };
  pad.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    keyPen = keyPen || { x: WIDTH / 4, y: HEIGHT / 2, down: false };
    if (moves[event.key]) {
      const far = event.shiftKey ? 4 : 1;
      keyPen.x = Math.max(0, Math.min(WIDTH, keyPen.x + moves[event.key][0] * far));
      keyPen.y = Math.max(0, Math.min(HEIGHT, keyPen.y + moves[event.key][1] * far));
      if (keyPen.down && total() <= MOST_NUMBERS) strokes[strokes.length - 1].push(keyPen.x, keyPen.y);
    } else if (event.key === " ") {
      keyPen.down = !keyPen.down;
      if (keyPen.down) strokes.push([keyPen.x, keyPen.y]);
      tell();
    } else if (event.key === "Backspace") {
      keyPen.down = false;
      strokes.pop();
      tell();
    } else return;
    event.preventDefault();
    draw();
  });
  pad.addEventListener("focus", draw);
  pad.addEventListener("blur", draw);

  const forget = (all) => {
    if (keyPen) keyPen.down = false;
    strokes.splice(all ? 0 : Math.max(0, strokes.length - 1));
    draw();
    tell();
  };
  document.getElementById("undo").addEventListener("click", () => forget(false));
  document.getElementById("clear").addEventListener("click", () => forget(true));

  form.addEventListener("submit", (event) => {
    if (kind() !== "drawn") return;
    if (strokes.length === 0) {
      event.preventDefault();
      says.textContent = says.dataset.needed;
      pad.focus();
      return;
    }
    form.elements.drawn.value = JSON.stringify(strokes);
  });
  draw();
  tell();
})();
