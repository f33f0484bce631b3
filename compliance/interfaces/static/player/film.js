// Plays the films of a page from their scenes. A scene that asks a question stops the film until the server says that
// the question is settled; the last scene is reported to the server, which alone decides what has been done.
// Without this script every scene, question and the transcript are there to read.
"use strict";

for (const player of document.querySelectorAll("[data-film]")) makeFilm(player);

function makeFilm(player) {
  const find = (name) => player.querySelector(`[data-${name}]`);
  const scenes = [...player.querySelectorAll("[data-scene]")];
  const [play, back, next] = ["play", "back", "next"].map(find);
  const [caption, status, place, bar, report] = ["caption", "status", "place", "progress", "report"].map(find);
  const words = player.dataset;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  let now = -1; // the scene on the stage
  let timer = null; // runs while the film plays
  let left = 0; // milliseconds of the scene that have not passed
  let since = 0; // when the timer was set
  let ended = false;

  const ofScene = (name, scene) => player.querySelector(`[data-${name}="${scene.dataset.scene}"]`);
  const asked = (scene) => ofScene("asked-in", scene)?.querySelector("[data-question]") ?? null;
  const isOpen = (scene) => ["open", "again"].includes(asked(scene)?.dataset.state);
  const sound = (scene) => ofScene("line", scene)?.querySelector("audio") ?? null;
  const isLast = () => now === scenes.length - 1;
  const waits = () => now >= 0 && isOpen(scenes[now]);

  function label() {
    const focused = document.activeElement;
    const restful = calm.matches && now >= 0 && !ended;
    const answered = now >= 0 && asked(scenes[now]) !== null && left === 0;
    if (timer) play.textContent = words.wordPause;
    else if (ended) play.textContent = words.wordAgain;
    else play.textContent = now < 0 ? words.wordBegin : answered ? words.wordOn : words.wordPlay;
    play.hidden = restful || waits();
    next.hidden = back.hidden = now < 0;
    back.disabled = now <= 0;
    next.disabled = waits() || (isLast() && ended);
    next.classList.toggle("second", !restful);
    place.textContent = now < 0 ? "" : words.wordPlace.replace("NOW", now + 1).replace("ALL", scenes.length);
    bar.value = ended ? scenes.length : Math.max(now, 0);
    player.classList.toggle("still", !timer && !ended && !waits() && !calm.matches && now >= 0);
    // Whoever presses a button that goes away finds the focus on the one that takes them on.
    if ([play, back, next].includes(focused) && (focused.hidden || focused.disabled)) {
      [next, play].find((button) => !button.hidden && !button.disabled)?.focus();
    }
  }

  function stopClock() {
    if (!timer) return;
    clearTimeout(timer);
    timer = null;
    left = Math.max(0, left - (performance.now() - since));
  }

  function quiet() {
    for (const audio of player.querySelectorAll("audio")) audio.pause();
  }

  function show(number) {
    stopClock();
    quiet();
    now = number;
    ended = false;
    const scene = scenes[now];
    left = Number(scene.dataset.seconds) * 1000;
    for (const each of scenes) each.classList.toggle("now", each === scene);
    for (const box of player.querySelectorAll("[data-asked-in]")) box.hidden = box.dataset.askedIn !== scene.dataset.scene;
    caption.hidden = false;
    caption.textContent = ofScene("line", scene)?.querySelector("p")?.textContent ?? "";
    status.textContent = "";
    const heard = sound(scene);
    if (heard) heard.currentTime = 0;
  }

  function hear() {
    const heard = sound(scenes[now]);
    if (heard && !heard.ended) heard.play().catch(() => {}); // the caption says what it would
  }

  // The scene on the stage goes on from where it stopped.
  function run() {
    hear();
    if (waits()) pauseForQuestion();
    else if (!calm.matches) {
      since = performance.now();
      timer = setTimeout(pass, left);
    } else if (isLast()) finish();
    label();
  }

  // The time of a scene is over: the next one begins as soon as nothing is to be heard any more.
  function pass() {
    timer = null;
    left = 0;
    const heard = sound(scenes[now]);
    if (heard && !heard.paused && !heard.ended) {
      since = performance.now();
      timer = setTimeout(pass, 250);
      return;
    }
    if (isLast()) finish();
    else goTo(now + 1);
  }

  function goTo(number) {
    show(number);
    run();
  }

  function pauseForQuestion() {
    stopClock();
    status.textContent = words.wordQuestion;
    asked(scenes[now]).querySelector("fieldset").focus();
  }

  function finish() {
    stopClock();
    ended = true;
    status.textContent = words.wordEnd;
    label();
    if (report && !("seen" in player.dataset)) tellEnd();
  }

  async function tellEnd() {
    report.elements.scene.value = scenes[scenes.length - 1].dataset.scene;
    const fresh = await post(report, player.id);
    if (fresh) {
      player.dataset.seen = "";
      renew(fresh, "onward");
    } else status.textContent = words.wordLost;
  }

  play.addEventListener("click", () => {
    if (timer) {
      stopClock();
      quiet();
      label();
    } else if (ended && report && !("seen" in player.dataset)) tellEnd(); // it could not be sent before
    else if (now < 0 || ended) goTo(0);
    else run();
  });
  next.addEventListener("click", () => {
    if (waits()) return;
    if (isLast()) finish();
    else {
      const playing = timer !== null || calm.matches;
      show(now + 1);
      if (playing || waits()) run();
      label();
    }
  });
  back.addEventListener("click", () => {
    if (now <= 0) return;
    const playing = timer !== null || calm.matches;
    show(now - 1);
    if (playing || waits()) run();
    label();
  });
  calm.addEventListener("change", () => { stopClock(); label(); });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && timer) { stopClock(); quiet(); label(); }
  });

  player.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!("answer" in form.dataset)) return;
    event.preventDefault();
    const box = form.closest("[data-question]");
    const button = form.querySelector("button");
    if (button.disabled) return;
    button.disabled = true; // pressed twice is sent once
    const fresh = await post(form, box.id);
    if (!fresh) {
      button.disabled = false;
      status.textContent = words.wordLost;
      return;
    }
    const drawn = fresh.getElementById(box.id);
    box.dataset.state = drawn.dataset.state;
    box.replaceChildren(...document.adoptNode(drawn).childNodes);
    renew(fresh, "onward");
    status.textContent = "";
    if (!waits()) left = 0; // the scene has waited long enough
    (box.querySelector("[data-verdict]") ?? box.querySelector("fieldset")).focus();
    label();
  });

  // With the script there is one scene at a time, and the transcript is there for whoever opens it.
  player.classList.add("ready");
  scenes[0].classList.add("now");
  for (const name of ["controls", "progress"]) find(name).hidden = false;
  for (const box of player.querySelectorAll("[data-asked-in]")) box.hidden = true;
  find("transcript").open = false;
  label();
}

// Sends a form as the browser would; the page that comes back, or null when none did. Where another page came back than
// this one (the session has ended, the course has a new version), the browser goes there, or loads this page again.
async function post(form, id) {
  const fields = new URLSearchParams(new FormData(form));
  const options = form.method === "post" ? { method: "POST", body: fields } : {};
  const address = form.method === "post" ? form.action : `${form.action.split("?")[0]}?${fields}`;
  try {
    const answer = await fetch(address, { credentials: "same-origin", ...options });
    if (answer.status >= 500 || answer.status === 429) return null;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (answer.status !== 409 && page.getElementById(id)) return page;
    if (answer.redirected) window.location.assign(answer.url);
    else window.location.reload();
    return null;
  } catch {
    return null;
  }
}

function renew(fresh, id) {
  const drawn = fresh.getElementById(id);
  const old = document.getElementById(id);
  if (drawn && old) old.replaceWith(document.adoptNode(drawn));
}
