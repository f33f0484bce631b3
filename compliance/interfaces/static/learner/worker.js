// The service worker of the learners' pages. It does nothing until somebody keeps a course on the device; then, without
// a connection, it shows that course's pages, and keeps what is read and answered until it can be sent. The server
// judges and counts: no right answer is on the device. Served at /learn/worker.js, for /learn/ alone.
"use strict";

const CACHE = "learner-course-"; // and the take's id: nothing about the person
const BATCH = 100; // as many entries as one send holds
const PATIENCE = 8000; // milliseconds after which a page comes from the device, when the network does not answer
const SEND_PATIENCE = 20_000; // after which a send is given up, and made again later
const AT_ONCE = 4;
const PROBE_EVERY = 600_000;
const TURN = 20_000; // after which a page that has a course kept is answered that it should ask again
const UNREACHABLE = [502, 503, 504]; // a gateway's word that nobody is behind it
const NOBODY = [401, 403]; // nobody is signed in, or somebody who has no access at present

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("sync", (event) => event.waitUntil(send()));
self.addEventListener("message", (event) => event.waitUntil(hear(event.data, event.ports[0])));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin || pathname.startsWith("/learn/offline/")) return;
  if (request.method === "GET" && request.mode === "navigate") event.respondWith(page(request, pathname));
  else if (request.method === "GET") event.respondWith(file(request));
  else if (request.method === "POST" && pathname === "/learn/out") event.respondWith(signOut(request));
  else if (request.method === "POST" && pathname.startsWith("/learn/in/")) event.respondWith(signIn(request));
  else if (request.method === "POST") event.respondWith(act(request, pathname));
});

// ---- what is kept: courses (by take_id), what waits to be sent (in order), words in the reader's language ----

let opened = null;
function database() {
  opened ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open("learner", 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore("courses", { keyPath: "take_id" });
      asked.result.createObjectStore("waiting", { keyPath: "order", autoIncrement: true });
      asked.result.createObjectStore("words", { keyPath: "name" });
    };
    asked.onsuccess = () => {
      asked.result.onversionchange = asked.result.onclose = () => { asked.result.close(); opened = null; };
      resolve(asked.result);
    };
    asked.onerror = () => { opened = null; reject(asked.error); };
  });
  return opened;
}

// One transaction: `work` is handed the stores, and what its request found is returned once all is written.
async function stored(mode, work) {
  const transaction = (await database()).transaction(["courses", "waiting", "words"], mode);
  const [courses, waiting, words] = ["courses", "waiting", "words"].map((name) => transaction.objectStore(name));
  const request = work({ courses, waiting, words });
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
}

const allCourses = () => stored("readonly", ({ courses }) => courses.getAll());
const allWaiting = () => stored("readonly", ({ waiting }) => waiting.getAll());
const keepCourse = (course) => stored("readwrite", ({ courses }) => courses.put(course));
const word = async (name) => (await allWords())[name] ?? "";
async function allWords() {
  const rows = await stored("readonly", ({ words }) => words.getAll());
  return Object.fromEntries(rows.map(({ name, text }) => [name, text]));
}

async function forget(takeId) {
  await caches.delete(CACHE + takeId);
  const entries = (await allWaiting()).filter((each) => each.take_id === takeId);
  await stored("readwrite", ({ courses, waiting }) => {
    courses.delete(takeId);
    for (const each of entries) waiting.delete(each.order);
  });
}

let style = null; // of the page that says that all is gone
async function empty(known) {
  style = (await caches.match(known.style ?? "", { ignoreVary: true })) ?? null;
  for (const name of await caches.keys()) if (name.startsWith(CACHE)) await caches.delete(name);
  await stored("readwrite", ({ courses, waiting, words }) => [courses, waiting, words].map((each) => each.clear())[0])
    .catch(() => {}); // a store that cannot be opened keeps nobody from signing out
}

// What was being kept when the browser was closed is half: it goes when the worker starts again. The caches are read
// first, so that what becomes whole meanwhile is not taken for a half.
const arriving = new Map(); // by cache: the course that is being kept, and the pages that are told how far it is
async function tidy() {
  const names = (await caches.keys()).filter((name) => name.startsWith(CACHE));
  const whole = (await allCourses()).filter((course) => !course.gone).map((course) => CACHE + course.take_id);
  const kept = new Set([...whole, ...arriving.keys()]);
  for (const name of names) if (!kept.has(name)) await caches.delete(name);
}
tidy().catch(() => {}); // a store that cannot be opened is read again at the next start

const addressesOf = (course) => [course.overview, ...course.pages.map((each) => each.address)];
async function courseAt(pathname) {
  return (await allCourses()).find((course) => !course.elsewhere && !course.gone && pathname.startsWith(course.overview));
}

// ---- what pages ask for ----

async function hear(message, port) {
  if (message.do === "keep") port.postMessage(await keep(message.course, message.words, port));
  if (message.do === "forget") await forget(message.take_id);
  if (message.do === "send") await send();
  if (message.do === "told") await told(message.take_id);
  if (message.do !== "keep") port?.postMessage(await state());
}

async function state() {
  const [courses, waiting] = await Promise.all([allCourses(), allWaiting()]);
  return { courses, waiting, signedOut, sending: sending !== null };
}

async function announce() {
  const now = await state();
  for (const client of await self.clients.matchAll({ includeUncontrolled: true })) client.postMessage(now);
}

async function told(takeId) {
  const course = await stored("readonly", ({ courses }) => courses.get(takeId));
  if (course?.gone) await forget(takeId);
  else if (course) await keepCourse({ ...course, told: null });
}

// Browsers end a worker that takes minutes over one message, however much of the course is still to come. So the page
// asks again and again, each time for a short while, and the worker lives as long as the page stays.
async function keep(course, words, port) {
  const name = CACHE + course.take_id;
  if (!arriving.has(name)) {
    const pages = new Set();
    const end = load(course, words, name, (news) => { for (const each of pages) each.postMessage(news); });
    arriving.set(name, { pages, end: end.finally(() => arriving.delete(name)) });
  }
  const { pages, end } = arriving.get(name);
  pages.add(port);
  const came = await Promise.race([end, new Promise((resolve) => setTimeout(resolve, TURN, { more: true }))]);
  pages.delete(port);
  return came;
}

// All of a course or nothing of it: the course is entered only when every file is here.
async function load(course, words, name, tell) {
  const files = [...addressesOf(course), ...course.files];
  const queue = [...files];
  let done = 0;
  try {
    const cache = await caches.open(name);
    const take = async () => {
      for (let address = queue.shift(); address; address = queue.shift()) {
        const answer = await fetch(address, { headers: { "Learner-Keep": "1" }, redirect: "manual" });
        if (answer.type === "opaqueredirect" || NOBODY.includes(answer.status)) throw new Failed("signed-out");
        if (!answer.ok) throw new Failed("connection");
        await cache.put(address, answer);
        tell({ keeping: ++done, of: files.length });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, take));
    if (!(await caches.has(name))) throw new Failed("connection"); // emptied meanwhile
    await stored("readwrite", ({ courses, words: table }) => {
      for (const [key, text] of Object.entries(words)) table.put({ name: key, text });
      return courses.put({ ...course, told: null, gone: false, elsewhere: false, probed: Date.now() });
    });
    announce();
    return { kept: true };
  } catch (error) {
    queue.length = 0; // nothing more is fetched for a course that is not kept
    await caches.delete(name);
    if (error instanceof Failed) return { failed: error.message };
    return { failed: error.name === "QuotaExceededError" ? "storage" : "connection" };
  }
}

class Failed extends Error {}

// ---- what the browser asks for ----

const late = () => new Promise((_, reject) => setTimeout(() => reject(new Failed("late")), PATIENCE));

async function page(request, pathname) {
  const course = await courseAt(pathname).catch(() => undefined);
  if (!course) return fetch(request).catch(() => offlinePage());
  const reached = fetch(request).then((answer) => {
    if (UNREACHABLE.includes(answer.status)) throw new Failed("unreachable");
    return answer;
  });
  reached.catch(() => {});
  try {
    const answer = await Promise.race([reached, late()]);
    if (answer.ok && addressesOf(course).includes(pathname)) await refresh(course, pathname, answer.clone());
    return answer;
  } catch {
    return fromDevice(course, pathname);
  }
}

async function refresh(course, pathname, answer) {
  try {
    const name = CACHE + course.take_id;
    if (await caches.has(name)) await (await caches.open(name)).put(pathname, answer);
  } catch { /* the copy that is there is still whole */ }
}

async function fromDevice(course, pathname) {
  const found = await (await caches.open(CACHE + course.take_id)).match(pathname, { ignoreVary: true });
  if (!found && pathname === course.overview) return notice(503, "onlyKept");
  if (!found) return Response.redirect(course.overview, 303); // the end of the course, say: it is not there yet
  const opened = course.pages.find((each) => each.address === pathname);
  if (opened) {
    const waiting = await allWaiting();
    if (!waiting.some((each) => each.take_id === course.take_id && each.kind === "page" && each.page === opened.id)) {
      try {
        await keepEntries([{ take_id: course.take_id, kind: "page", lesson: opened.lesson, page: opened.id, address: pathname }]);
      } catch {
        return notice(507, "notKept");
      }
    }
  }
  return found;
}

// Styles, scripts and media: from the network while it is there, but media, which never change, from the device.
async function file(request) {
  const kept = await caches.match(request.url, { ignoreVary: true }).catch(() => undefined);
  if (kept && /^\/learn\/(media|style)\//.test(new URL(request.url).pathname)) return part(request, kept);
  const answer = await fetch(request).catch(() => null);
  if (answer && !UNREACHABLE.includes(answer.status)) {
    if (kept && answer.ok) await renewFile(request.url, answer.clone());
    return answer;
  }
  if (kept) return part(request, kept);
  if (style && request.destination === "style") return style.clone();
  return answer ?? Response.error();
}

// A later release has other scripts and styles at the same addresses, and its pages need those.
async function renewFile(address, answer) {
  for (const course of await allCourses().catch(() => [])) {
    if (course.files.includes(new URL(address).pathname)) await refresh(course, address, answer.clone());
  }
}

// Players of sound and film ask for parts.
async function part(request, answer) {
  const asked = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get("Range") ?? "");
  if (!asked) return answer;
  const whole = await answer.blob();
  const begin = Number(asked[1]);
  const end = Math.min(asked[2] ? Number(asked[2]) : whole.size - 1, whole.size - 1);
  if (begin > end) return new Response(null, { status: 416, headers: { "Content-Range": `bytes */${whole.size}` } });
  const headers = {
    "Content-Type": answer.headers.get("Content-Type") ?? "application/octet-stream",
    "Content-Range": `bytes ${begin}-${end}/${whole.size}`,
  };
  return new Response(whole.slice(begin, end + 1), { status: 206, headers });
}

// An answer, or the end of a film. What cannot be sent is kept; the number of each answer makes a second arrival count once.
async function act(request, pathname) {
  const course = await courseAt(pathname).catch(() => undefined);
  if (!course) return fetch(request).catch(() => (request.mode === "navigate" ? notice(503, "notSent") : Response.error()));
  const copy = request.clone();
  try {
    const answer = await Promise.race([fetch(request), late()]);
    if (!UNREACHABLE.includes(answer.status)) return answer;
  } catch { /* nobody was reached, or the answer was lost */ }
  const fields = await copy.formData();
  const here = course.pages.find((each) => each.address === pathname);
  if (!here) return request.mode === "navigate" ? notice(503, "notSent") : Response.error();
  const of = { take_id: course.take_id, lesson: here.lesson, address: pathname };
  const entries = fields.has("film")
    ? [{ ...of, kind: "film", film: fields.get("film"), scene: fields.get("scene") }]
    : fields.getAll("sent").map((question) => ({
        ...of, kind: "answer", question, choices: fields.getAll(`answer-${question}`),
        number: Number(fields.get(`after-${question}`) ?? 0) + 1,
      })).filter((each) => each.choices.length);
  try {
    await keepEntries(entries);
  } catch {
    return request.mode === "navigate" ? notice(507, "notKept") : Response.error();
  }
  if (request.mode === "navigate") return Response.redirect(pathname, 303);
  const said = escaped(await word("answerKept"));
  const boxes = entries.map((each) => each.kind === "film" ? `<div id="${escaped(each.film)}"></div>` :
    `<div id="question-${escaped(each.question)}" data-question data-state="kept">`
    + `<div class="verdict" tabindex="-1" data-verdict><p><strong>${said}</strong></p></div></div>`);
  return html(`<!doctype html>${boxes.join("")}`, 200);
}

async function keepEntries(entries) {
  await stored("readwrite", ({ waiting }) => {
    for (const each of entries) waiting.add({ ...each, id: crypto.randomUUID() });
  });
  self.registration.sync?.register("learner-send").catch(() => {}); // else the page's own clock sends
  announce();
}

// Whatever the network says, the device is emptied; that the session goes on is said where the server was not reached.
async function signOut(request) {
  const words = await allWords().catch(() => ({}));
  try {
    const answer = await fetch(request);
    if (UNREACHABLE.includes(answer.status)) throw new Failed("unreachable");
    if (answer.ok) {
      await empty(words);
      await self.registration.unregister();
    }
    return answer;
  } catch {
    await empty(words);
    return shown(words, "signedOutHere", 503);
  }
}

// Whoever signs in may be another person. Until the server says whose each kept course is, none of them is shown or filled.
async function signIn(request) {
  const open = (await allCourses().catch(() => [])).filter((course) => !course.elsewhere).map((course) => course.take_id);
  await setElsewhere(open, true);
  try {
    const answer = await fetch(request);
    if (answer.type !== "opaqueredirect") await setElsewhere(open, false); // nobody was signed in
    return answer;
  } catch {
    await setElsewhere(open, false);
    return notice(503, "notSent");
  }
}

async function setElsewhere(takes, elsewhere) {
  if (!takes.length) return;
  await stored("readwrite", ({ courses }) => {
    for (const take of takes) {
      const asked = courses.get(take);
      asked.onsuccess = () => { if (asked.result) courses.put({ ...asked.result, elsewhere }); };
    }
  });
}

// ---- sending ----

let sending = null;
let signedOut = false;
function send() {
  sending ??= sendAll().catch(() => {}).finally(() => { sending = null; return announce(); });
  return sending;
}

async function sendAll() {
  for (const course of await allCourses()) {
    const count = (await waitingOf(course)).length;
    if (!count && course.gone) continue;
    const probed = Math.abs(Date.now() - course.probed) < PROBE_EVERY; // the clock may have been set back since
    if (!count && !course.elsewhere && probed) continue;
    // First whose session this is, with nothing in hand: what one person did must not leave under another's name.
    let answer = await ask(course, []);
    const touched = new Set();
    while (answer) {
      const batch = (await waitingOf(course)).slice(0, BATCH);
      if (!batch.length) break;
      answer = await ask(course, batch);
      for (const each of batch) touched.add(each.address);
    }
    if (answer && touched.size) await renewed(course, touched);
  }
}

async function waitingOf(course) {
  return (await allWaiting()).filter((each) => each.take_id === course.take_id);
}

// Sends entries; whether there is sense in going on. What was counted is let go in the moment in which that is known.
async function ask(course, batch) {
  const entries = batch.map(({ order, take_id, address, ...entry }) => entry);
  const answer = await fetch(`/learn/offline/${course.take_id}`, {
    method: "POST", redirect: "manual", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ entries }),
    signal: AbortSignal.timeout(SEND_PATIENCE),
  });
  signedOut = NOBODY.includes(answer.status);
  const known = await stored("readonly", ({ courses }) => courses.get(course.take_id));
  if (!known) return false;
  if (answer.status === 404 && (await waitingOf(course)).length) await keepCourse({ ...known, elsewhere: true });
  else if (answer.status === 404) await forget(course.take_id); // somebody else's, with nothing left to send
  if (answer.status !== 200) return false;
  const said = await answer.json();
  const right = said.entries.filter((each) => each.right === true).length;
  const wrong = said.entries.filter((each) => each.right === false).length;
  const before = known.told ?? { right: 0, wrong: 0, sent: 0 };
  const news = {
    state: said.state, changed: said.changed, address: said.address, at: Date.now(),
    sent: before.sent + batch.length, right: before.right + right, wrong: before.wrong + wrong,
  };
  const gone = said.changed || !["open", "finished"].includes(said.state);
  if (gone) await caches.delete(CACHE + course.take_id);
  await stored("readwrite", ({ courses, waiting }) => {
    for (const each of batch) waiting.delete(each.order);
    const tell = batch.length || gone ? news : known.told;
    return courses.put({ ...known, elsewhere: false, gone, told: tell, probed: Date.now() });
  });
  if (batch.length) await announce();
  return true;
}

// The pages on which something was counted are fetched anew, so that the device shows what became of it.
async function renewed(course, touched) {
  for (const address of [course.overview, ...touched]) {
    const answer = await fetch(address, {
      headers: { "Learner-Keep": "1" }, redirect: "manual", signal: AbortSignal.timeout(SEND_PATIENCE),
    });
    if (answer.ok) await refresh(course, address, answer);
  }
}

// ---- the few pages that come from here ----

async function offlinePage() {
  const courses = (await allCourses().catch(() => [])).filter((each) => !each.elsewhere && !each.gone);
  if (!courses.length) return Response.error();
  const links = courses.map((each) =>
    `<li><div><a class="whole" href="${escaped(each.overview)}" lang="${escaped(each.language)}" dir="auto">${escaped(each.title)}</a></div></li>`);
  return shown(await allWords(), "onlyKept", 503, `<ul class="tasks">${links.join("")}</ul>`);
}

async function notice(status, name) {
  return shown(await allWords(), name, status);
}

function shown(words, name, status, more = "") {
  const text = (key) => escaped(words[key] ?? "");
  return html(
    `<!doctype html><html lang="${text("language")}" dir="${text("direction")}"><head><meta charset="utf-8">`
    + `<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">`
    + `<title>${text("offline")}</title><link rel="stylesheet" href="${text("style")}"></head><body><main>`
    + `<h1>${text("offline")}</h1><p class="lead">${text(name)}</p>${more}</main></body></html>`, status);
}

function html(text, status) {
  return new Response(text, { status, headers: {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'",
  } });
}

function escaped(text) {
  return String(text).replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
}
