// Plays a film from its scenes: shows one at a time with its caption, waits at a question, stops when told.
// Without this script the film is a storyboard: every scene, caption and question below each other.
"use strict";

for (const form of document.querySelectorAll("form[data-question]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const inputs = [...form.querySelectorAll("input")];
    const right = inputs.every((input) => input.checked === input.hasAttribute("data-correct"));
    form.querySelector(".verdict").textContent = right ? "That is right." : "Not quite. Look again.";
    if (right) form.dispatchEvent(new CustomEvent("answered", { bubbles: true }));
  });
}

for (const player of document.querySelectorAll("[data-film]")) {
  const scenes = [...player.querySelectorAll("[data-scene]")];
  const play = player.querySelector("[data-play]");
  const stop = player.querySelector("[data-stop]");
  const clock = player.querySelector("[data-clock]");
  let now = -1;
  let timer = null;

  const caption = (scene) => player.querySelector(`[data-caption-of="${scene.id}"]`);
  const show = (number) => {
    now = Math.max(0, Math.min(number, scenes.length - 1));
    player.classList.add("playing");
    stop.disabled = false;
    scenes.forEach((scene, index) => {
      scene.classList.toggle("now", index === now);
      caption(scene).classList.toggle("now", index === now);
    });
    clock.textContent = `Scene ${now + 1} of ${scenes.length}`;
  };
  const pause = (words) => {
    clearTimeout(timer);
    timer = null;
    play.textContent = "Play";
    if (words) clock.textContent = words;
  };
  const run = () => {
    const scene = scenes[now];
    play.textContent = "Pause";
    timer = setTimeout(() => {
      if ("pauses" in scene.dataset) pause("The film waits for an answer.");
      else if (now === scenes.length - 1) pause("The end.");
      else { show(now + 1); run(); }
    }, Number(scene.dataset.seconds) * 1000);
  };
  play.addEventListener("click", () => {
    if (timer) { pause("Paused."); return; }
    show(now < 0 || now === scenes.length - 1 ? 0 : now);
    run();
  });
  player.querySelector("[data-next]").addEventListener("click", () => { pause(""); show(now + 1); });
  player.querySelector("[data-previous]").addEventListener("click", () => { pause(""); show(now - 1); });
  player.addEventListener("answered", () => {
    if (now < 0 || now === scenes.length - 1 || timer) return;
    // The verdict is read before the film goes on.
    timer = setTimeout(() => { show(now + 1); run(); }, 1500);
  });
  stop.addEventListener("click", () => {
    pause("");
    now = -1;
    player.classList.remove("playing");
    stop.disabled = true;
    clock.textContent = "";
    scenes.forEach((scene) => { scene.classList.remove("now"); caption(scene).classList.remove("now"); });
  });
}
