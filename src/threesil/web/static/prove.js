// The page Prove: on the left a text, how it is read and the settings; on the right the answers.

import { post, stream } from "./ask.js";
import { errorBox, h, later, plural, say } from "./dom.js";
import { answerView } from "./answer.js";
import { makeEditor } from "./editor.js";
import { learnView } from "./learn.js";
import { packed } from "./link.js";
import { counted, progressView } from "./progress.js";
import { linked, settingsView } from "./settings.js";

const MOST_GOALS = 8;

export async function show(root, { query, about }) {
  const wanted = await linked(query, about.examples[0]);
  const settings = settingsView(about, wanted, () => check());
  const read = h("div", { class: "read", id: "read", "aria-live": "polite" });
  const editor = makeEditor({
    text: wanted.text, label: "text-label", describedBy: "keys", changed: later(150, () => check()), enter: () => prove(), refuse: tooLong,
  });
  const stop = h("button", { type: "button", disabled: true, onclick: () => cancel() }, "Cancel");
  const learn = learnView(asked);
  const progress = h("div", { class: "progress" });
  const results = h("div", { class: "results" });
  const told = h("section", { class: "told", "aria-label": "Answer" }, progress, results);
  const form = h("form", {
    class: "asked",
    onsubmit: (event) => {
      event.preventDefault();
      prove();
    },
  },
  h("h1", { class: "unseen" }, "Prove an equation"),
  h("div", { class: "field" },
    h("span", { id: "text-label", class: "label", onclick: () => editor.focus() }, "An equation a line, or a whole file: TPTP, LADR, or a theory file"),
    h("div", { class: "editor" }, editor.element)),
  h("p", { id: "keys", class: "quiet" }, "Enter proves a single line, Ctrl+Enter any text."),
  read, settings.element,
  h("div", { class: "row" }, h("button", { type: "submit", class: "main" }, "Prove"), stop,
    h("button", { type: "button", onclick: () => { cancel(); clear(); reveal(); } }, "Examples"), learn.button),
  learn.panel);
  root.append(form, told);
  clear();

  let checking = null; // one at a time; what was typed meanwhile is checked after it
  let again = false;
  let running = null;

  function asked() {
    const { theory, assume } = settings.values();
    return { text: editor.text, theory, assume };
  }

  // Nothing is asked yet, or what is asked now is wrong: examples stand in the place of the answer.
  function clear() {
    progress.replaceChildren();
    results.replaceChildren(examplesView(about.examples, (example) => {
      editor.text = example.text;
      settings.theory = example.theory;
      prove();
    }));
  }

  async function check() {
    again = checking !== null;
    if (again) return;
    if (!editor.text.trim()) {
      read.replaceChildren();
      return;
    }
    const mine = new AbortController();
    checking = mine;
    try {
      read.replaceChildren(readView(await post("api/check", asked(), mine.signal)));
      editor.mark(null);
      if (results.firstChild?.matches(".error")) clear();
    } catch (error) {
      if (error.name === "AbortError") return;
      wrong(error);
    }
    checking = null;
    if (again) check();
  }

  function wrong(error) {
    const value = error.value ?? { message: String(error) };
    read.replaceChildren(errorBox(value));
    editor.mark(value);
    if (running === null && results.querySelector(".answer")) clear();
  }

  // Megabytes would keep the browser busy for a minute before anybody could say that they are too many.
  function tooLong(doc) {
    const most = about.bytes * 0.9;
    if (doc.length <= most / 4 || (doc.length <= most && new Blob([doc.toString()]).size <= most)) return false;
    read.replaceChildren(errorBox({ message: `this is too long: at most ${about.bytes / 1e6} MB are read` }));
    return true;
  }

  function cancel() {
    running?.abort();
  }

  // The answer stands beside the text, or below it: then it is brought into sight.
  function reveal() {
    const { top } = told.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) told.scrollIntoView({ block: "start" });
  }

  async function prove() {
    cancel();
    const mine = new AbortController();
    running = mine;
    const search = { ...settings.values(), text: editor.text };
    stop.disabled = false;
    results.replaceChildren();
    const watch = progressView(progress);
    say("Searching");
    reveal();
    const packing = packed(search); // while the server is asked
    let job = null;
    let end = { event: "cancelled" };
    try {
      for await (const event of stream("api/prove", search, mine.signal)) {
        watch.hear(event);
        if (event.event === "job") job = event.id;
        else if (event.event === "answer") {
          const link = await packing;
          if (running !== mine) break;
          results.append(answerView(event, job, link, search));
          if (event.number === 1) reveal();
        } else if (["done", "failed", "cancelled"].includes(event.event)) end = event;
      }
    } catch (error) {
      if (error.name !== "AbortError") end = { event: "failed", error: error.value ?? { message: String(error) } };
    }
    watch.end(end);
    if (running !== mine) return;
    running = null;
    stop.disabled = true;
    if (end.event === "failed") {
      results.append(errorBox(end.error));
      editor.mark(end.error);
    }
    say(end.event === "done" ? counted(end) : end.event);
    const link = await packing;
    if (link !== null && end.event === "done" && running === null && root.isConnected) history.replaceState(null, "", link);
  }

  check();
  if (query.has("q") && wanted.text) prove();
  return () => {
    checking?.abort();
    cancel();
    editor.close();
  };
}

function examplesView(examples, choose) {
  return h("section", { class: "examples" }, h("h2", {}, "Examples"),
    h("ul", {}, examples.map((one) => h("li", {}, h("button", { type: "button", class: "card", onclick: () => choose(one) },
      h("b", {}, one.kind), h("span", { class: "quiet" }, one.name), h("code", {}, one.text.trim()))))));
}

function readView(read) {
  const goals = read.goals.slice(0, MOST_GOALS);
  return h("div", {},
    h("p", {}, "Understood as", read.goals.length > 1 ? ` ${plural(read.goals.length, "goal")}` : "",
      ` in ${read.theory} (${plural(read.equations, "equation")})`, read.any_goal ? ", one of which is enough" : "", ":"),
    h("ul", { class: "goals" }, goals.map((goal) => h("li", {}, h("code", {}, goal.understood)))),
    read.goals.length > MOST_GOALS ? h("p", { class: "quiet" }, `and ${read.goals.length - MOST_GOALS} more`) : null,
    read.notes.map((note) => h("p", { class: "note" }, note)));
}
