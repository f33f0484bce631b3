// Courses that are kept on the device: the button that keeps one, and what pages say of what waits to be sent. All of it
// is the worker's (worker.js); this script asks it and shows its answers. Without a worker it changes nothing.
"use strict";

const strip = document.querySelector("[data-offline]");
const box = document.querySelector("[data-keep]");
const SEND_EVERY = 10_000;
const SILENCE = 60_000; // milliseconds after which a worker that keeps a course, and says nothing, was ended by the browser
const UNDONE = '[data-question][data-state="open"], [data-question][data-state="again"], [data-film]:not([data-seen])';

if (strip && navigator.serviceWorker) begin();

async function begin() {
  const words = strip.dataset;
  const worker = async () => (await navigator.serviceWorker.getRegistration("/learn/"))?.active ?? null;
  let state = { courses: [], waiting: [], signedOut: false, sending: false };

  // One question to the worker; `said` hears what it says on the way.
  async function ask(message, said) {
    const active = await worker();
    if (!active) return null;
    return new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => ("keeping" in data ? said(data) : (port1.close(), resolve(data)));
      active.postMessage(message, [port2]);
    });
  }

  function draw(fresh) {
    if (!fresh?.courses) return;
    const course = fresh.courses.find((each) => location.pathname.startsWith(each.overview) && !each.elsewhere);
    const waits = (of) => of.waiting.some((each) => each.take_id === course?.take_id);
    const arrived = waits(state) && !waits(fresh);
    state = fresh;
    drawStrip();
    // What the page says of a course is old once all was sent; whoever is in the middle of something is left alone.
    if (arrived && (box || !document.querySelector(UNDONE))) return location.reload();
    if (box) drawBox(course);
    else if (course && !course.gone) drawPage(course);
  }

  // ---- the line that says what waits, and what came of what was sent ----

  // What waits of the person who is signed in; another person's waits for them alone.
  function unsent() {
    const mine = new Set(state.courses.filter((each) => !each.elsewhere).map((each) => each.take_id));
    return state.waiting.filter((each) => mine.has(each.take_id));
  }

  function drawStrip() {
    const count = unsent().length;
    const lines = [];
    if (count) {
      if (state.signedOut) lines.push(words.wordSignIn);
      else lines.push(navigator.onLine && state.sending ? words.wordSending : words.wordOffline);
      lines.push(words.wordWaiting.replace("COUNT", count.toLocaleString(document.documentElement.lang)));
    }
    const news = state.courses.filter((each) => each.told && !each.elsewhere);
    strip.replaceChildren(...(lines.length ? [paragraph(lines.join(" "))] : []), ...news.flatMap(drawNews));
    strip.hidden = !strip.childElementCount;
    strip.classList.toggle("warn", Boolean(count) || news.some((each) => each.gone));
  }

  function drawNews(course) {
    const { told } = course;
    const number = (count) => count.toLocaleString(document.documentElement.lang);
    const parts = [];
    if (told.sent) parts.push(words.wordSent);
    if (told.right) parts.push(words.wordRight.replace("COUNT", number(told.right)));
    if (told.wrong) parts.push(words.wordWrong.replace("COUNT", number(told.wrong)));
    if (told.state === "finished") parts.push(words.wordFinished);
    else if (told.changed) parts.push(words.wordChanged);
    else if (told.state !== "open") parts.push(words.wordGone);
    const line = paragraph("");
    const title = document.createElement("strong");
    title.lang = course.language;
    title.dir = "auto";
    title.textContent = course.title;
    const link = document.createElement("a");
    link.href = told.address;
    link.textContent = words.wordSee;
    const close = document.createElement("button");
    close.type = "button";
    close.className = "plain";
    close.textContent = words.wordClose;
    close.addEventListener("click", async () => draw(await ask({ do: "told", take_id: course.take_id })));
    line.append(title, ": ", parts.join(" "));
    const acts = paragraph("");
    acts.append(link, " · ", close);
    return [line, acts];
  }

  function paragraph(text) {
    const made = document.createElement("p");
    made.textContent = text;
    return made;
  }

  // ---- the button on a course's own page ----

  function drawBox(course) {
    const find = (name) => box.querySelector(`[data-keep-${name}]`);
    const kept = Boolean(course) && !course.gone;
    box.hidden = "keepOver" in box.dataset && !kept;
    if (!find("progress").hidden) return; // it is being kept just now
    find("on").hidden = kept;
    find("off").hidden = !kept;
    find("hint").hidden = kept;
    find("failed").hidden = find("failed").hidden || kept;
    find("kept").hidden = !kept;
    find("kept").textContent = words.wordKept;
    if (kept) drawLessons(course);
  }

  // The overview is as old as the copy that is kept: what was done since is marked, and "Begin" goes on after it.
  function drawLessons(course) {
    const waiting = state.waiting.filter((each) => each.take_id === course.take_id);
    const lessons = new Set(waiting.map((each) => each.lesson));
    const lessonAt = (address) => course.pages.find((each) => each.address === address)?.lesson;
    for (const row of document.querySelectorAll(".tasks li")) {
      const tag = row.querySelector(".tag");
      if (!tag || !lessons.has(lessonAt(row.querySelector("a")?.getAttribute("href")))) continue;
      tag.textContent = words.wordUnsent;
      tag.className = "tag new";
    }
    const read = new Set(waiting.filter((each) => each.kind === "page").map((each) => each.page));
    const furthest = course.pages.findLastIndex((each) => read.has(each.id));
    const button = document.querySelector("[data-onward]");
    if (!button || furthest < 0) return;
    const next = course.pages[furthest + 1];
    button.hidden = !next;
    if (!next) return;
    button.href = next.address;
    button.textContent = words.wordOn;
  }

  async function keep() {
    const find = (name) => box.querySelector(`[data-keep-${name}]`);
    const fail = (why) => {
      find("progress").hidden = find("status").hidden = true;
      find("on").hidden = false;
      find("failed").hidden = false;
      find("failed").textContent = find("failed").dataset[`word${why}`];
    };
    find("on").hidden = find("failed").hidden = true;
    find("progress").hidden = find("status").hidden = false;
    try {
      const answer = await fetch(box.dataset.keep, {
        method: "POST", redirect: "manual", headers: { "Content-Type": "application/json" }, body: "{}",
      });
      if ([401, 403].includes(answer.status)) return fail("SignedOut");
      if (!answer.ok) return fail("Connection");
      const course = await answer.json();
      const { quota = Infinity, usage = 0 } = (await navigator.storage?.estimate?.()) ?? {};
      if (course.bytes > quota - usage) return fail("Storage");
      await navigator.storage?.persist?.();
      await navigator.serviceWorker.register("/learn/worker.js", { scope: "/learn/" });
      await navigator.serviceWorker.ready;
      const { words: told, ...rest } = course;
      const moves = ({ keeping, of }) => {
        find("progress").max = of;
        find("progress").value = keeping;
      };
      let came = { more: true };
      while (came?.more) {
        const silence = new Promise((resolve) => setTimeout(resolve, SILENCE, null));
        came = await Promise.race([ask({ do: "keep", course: rest, words: told }, moves), silence]);
      }
      if (came?.kept) {
        find("progress").hidden = find("status").hidden = true;
        draw(await ask({ do: "state" }));
        find("off").focus();
      } else fail({ storage: "Storage", "signed-out": "SignedOut" }[came?.failed] ?? "Connection");
    } catch {
      fail("Connection");
    }
  }

  box?.querySelector("[data-keep-on]").addEventListener("click", keep);
  box?.querySelector("[data-keep-off]").addEventListener("click", async () => {
    const course = state.courses.find((each) => location.pathname.startsWith(each.overview) && !each.elsewhere);
    const waits = state.waiting.some((each) => each.take_id === course?.take_id);
    if (!course || (waits && !window.confirm(words.wordLose))) return;
    draw(await ask({ do: "forget", take_id: course.take_id }));
    box.querySelector("[data-keep-on]").focus();
  });

  // ---- a page of a course of which something waits ----

  function drawPage(course) {
    const here = course.pages.findIndex((each) => each.address === location.pathname);
    const waiting = state.waiting.filter((each) => each.take_id === course.take_id);
    if (here < 0 || !waiting.length) return;
    for (const entry of waiting.filter((each) => each.kind === "answer")) drawAnswer(entry);
    for (const entry of waiting.filter((each) => each.kind === "film")) {
      document.getElementById(entry.film)?.setAttribute("data-seen", "");
    }
    const open = document.querySelector(UNDONE);
    const onward = document.getElementById("onward");
    if (!onward || open || onward.querySelector("[data-kept-on]")) return;
    const next = course.pages[here + 1];
    const link = document.createElement("a");
    link.className = "button";
    link.href = next?.address ?? course.overview;
    link.textContent = next ? words.wordOn : words.wordOverview;
    link.dataset.keptOn = "";
    const buttons = document.createElement("div");
    buttons.className = "buttons";
    buttons.append(link);
    onward.replaceChildren(buttons);
  }

  function drawAnswer(entry) {
    const asked = document.getElementById(`question-${entry.question}`);
    if (!asked || !["open", "again"].includes(asked.dataset.state)) return;
    asked.dataset.state = "kept";
    for (const input of asked.querySelectorAll("input")) {
      input.checked = entry.choices.includes(input.value);
      input.disabled = true;
    }
    asked.querySelector(".verdict")?.remove();
    for (const form of asked.querySelectorAll("form")) form.remove();
    const said = document.createElement("div");
    said.className = "verdict";
    said.append(paragraph(words.wordAnswerKept));
    said.lang = document.documentElement.lang;
    said.dir = document.documentElement.dir;
    asked.append(said);
  }

  // ---- when to send: now, when the connection comes back, and every ten seconds while something waits ----

  const send = async () => draw(await ask({ do: "send" }));
  navigator.serviceWorker.addEventListener("message", ({ data }) => draw(data));
  window.addEventListener("online", send);
  window.addEventListener("offline", () => draw(state));
  document.addEventListener("visibilitychange", () => { if (!document.hidden && state.waiting.length) send(); });
  setInterval(() => { if (state.waiting.length) send(); }, SEND_EVERY);
  for (const form of document.querySelectorAll('form[action="/learn/out"]')) {
    form.addEventListener("submit", (event) => {
      if (unsent().length && !window.confirm(words.wordLose)) event.preventDefault();
    });
  }
  if (box) drawBox();
  draw(await ask({ do: "state" }));
  if (state.courses.length) send();
}
