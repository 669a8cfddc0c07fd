// The page Prove: a text, how it is read, the search while it runs, the answers.

import { post, stream } from "./ask.js";
import { choice, errorBox, h, later, plural, say } from "./dom.js";
import { answerView } from "./answer.js";
import { packed, unpacked } from "./link.js";

const MOST_GOALS = 8;
const SILENT = 3_000; // milliseconds without an answer after which it is said why

export async function show(root, { query, about }) {
  const first = about.examples[0];
  const wanted = await settings(query, first);
  const [theoryField, theory] = choice("theory", "Theory", [
    ["", "that of the file, else aim"],
    ...about.theories.map((one) => [one.name, `${one.name}: ${one.title}`]),
    ...about.files.map((name) => [name, name]),
  ], wanted.theory);
  const [weightsField, weights] = choice("weights", "Weights", [["", "bundled"], ...about.runs.map((name) => [name, name])], wanted.weights);
  const [exampleField, example] = choice("example", "Examples",
    [["", "choose one…"], ...about.examples.map((one, index) => [String(index), one.name])], "");
  const text = h("textarea", {
    id: "text", rows: "3", spellcheck: false, autocomplete: "off", autocapitalize: "off",
    "aria-describedby": "keys", wrap: "off",
  });
  text.value = wanted.text;
  const seconds = h("input", {
    id: "seconds", type: "number", min: "0.1", max: String(about.seconds), step: "any", value: String(wanted.seconds),
  });
  const helpers = about.provers.map((name) => h("input", {
    type: "checkbox", id: `with-${name}`, value: name, checked: wanted.helpers.includes(name),
  }));
  const axioms = h("input", { type: "checkbox", id: "axioms", checked: wanted.axioms });
  const go = h("button", { type: "submit", class: "main" }, "Prove");
  const stop = h("button", { type: "button", disabled: true, onclick: () => cancel() }, "Cancel");
  const read = h("div", { class: "read", "aria-live": "polite" });
  const progress = h("div", { class: "progress" });
  const results = h("div", { class: "results" });
  const form = h("form", {
    onsubmit: (event) => {
      event.preventDefault();
      prove();
    },
  },
  h("div", { class: "field" }, h("label", { for: "text" }, "An equation a line, or a whole file: TPTP, LADR, or a theory file"), text),
  h("p", { id: "keys", class: "quiet" }, "Enter proves a single line; Ctrl+Enter proves any text."),
  read,
  h("div", { class: "row" }, theoryField,
    h("div", { class: "field" }, h("label", { for: "seconds" }, "CPU seconds a goal"), seconds),
    about.runs.length ? weightsField : null, exampleField),
  h("div", { class: "row" },
    helpers.length ? h("fieldset", {}, h("legend", {}, "Provers that help"),
      helpers.map((box) => h("label", {}, box, ` ${box.value}`))) : null,
    h("fieldset", {}, h("legend", {}, "Proof"), h("label", {}, axioms, " from the axioms alone"))),
  h("div", { class: "row" }, go, stop));
  root.append(h("h1", {}, "Prove an equation"), form, progress, results);

  let checking = null; // one at a time; what was typed meanwhile is checked after it
  let again = false;
  let running = null;

  function asked() {
    return { text: text.value, theory: theory.value || null };
  }

  async function check() {
    grow();
    again = checking !== null;
    if (again) return;
    if (!text.value.trim()) {
      read.replaceChildren();
      return;
    }
    if (tooLong(text.value)) return;
    const mine = new AbortController();
    checking = mine;
    try {
      read.replaceChildren(readView(await post("api/check", asked(), mine.signal)));
    } catch (error) {
      if (error.name === "AbortError") return;
      read.replaceChildren(errorBox(error.value ?? { message: String(error) }));
    }
    checking = null;
    if (again) check();
  }

  function tooLong(given) {
    if (new Blob([given]).size <= about.bytes * 0.9) return false;
    read.replaceChildren(errorBox({ message: `this is too long: at most ${about.bytes / 1e6} MB are read` }));
    return true;
  }

  function grow() {
    text.rows = Math.min(16, Math.max(3, text.value.split("\n", 20).length));
  }

  function cancel() {
    running?.abort();
  }

  async function prove() {
    cancel();
    const mine = new AbortController();
    running = mine;
    const search = {
      ...asked(), weights: weights.value || null, seconds: Number(seconds.value) || 10, from_axioms: axioms.checked,
      helpers: helpers.filter((box) => box.checked).map((box) => box.value),
    };
    stop.disabled = false;
    results.replaceChildren();
    const watch = progressView(progress);
    say("Searching");
    const link = await packed(search);
    let job = null;
    let end = { event: "cancelled" };
    try {
      for await (const event of stream("api/prove", search, mine.signal)) {
        watch.answered();
        if (event.event === "job") job = event.id;
        else if (event.event === "answer") results.append(answerView(event, job, link, search));
        else if (["done", "failed", "cancelled"].includes(event.event)) end = event;
        else watch.hear(event);
      }
    } catch (error) {
      if (error.name !== "AbortError") end = { event: "failed", error: error.value ?? { message: String(error) } };
    }
    if (running !== mine) return;
    stop.disabled = true;
    watch.end(end);
    if (end.event === "failed") results.append(errorBox(end.error));
    say(end.event === "done" ? counted(end) : end.event);
  }

  text.addEventListener("input", later(150, check));
  // Megabytes would keep the browser busy for a minute before anybody could say that they are too many.
  text.addEventListener("beforeinput", (event) => {
    if (event.data && tooLong(event.data)) event.preventDefault();
  });
  text.addEventListener("keydown", (event) => {
    const alone = !text.value.includes("\n") && !event.shiftKey;
    if (event.key === "Enter" && !event.isComposing && (alone || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      prove();
    }
  });
  theory.addEventListener("change", check);
  example.addEventListener("change", () => {
    const chosen = about.examples[Number(example.value)];
    if (example.value === "" || !chosen) return;
    text.value = chosen.text;
    theory.value = chosen.theory ?? "";
    check();
    text.focus();
  });
  check();
  if (query.has("q")) prove();
  return () => {
    checking?.abort();
    cancel();
  };
}

async function settings(query, first) {
  const plain = { text: first.text, theory: first.theory ?? "", weights: "", seconds: 10, helpers: [], axioms: false };
  if (!query.has("q")) return plain;
  try {
    const asked = await unpacked(query.get("q"));
    return {
      weights: String(asked.weights ?? ""), text: String(asked.text ?? ""), theory: String(asked.theory ?? ""), seconds: Number(asked.seconds) || 10,
      helpers: [].concat(asked.helpers ?? []).map(String), axioms: asked.from_axioms === true,
    };
  } catch {
    return plain;
  }
}

function counted(end) {
  return `${end.proved} of ${plural(end.of, "goal")} proved${end.refuted ? `, ${end.refuted} refuted` : ""}`;
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

// The search under way: whose turn it is, and what the last ones did.
function progressView(root) {
  const now = h("p", { class: "now" }, "Starting…");
  const rows = h("tbody");
  const table = h("table", {},
    h("caption", { class: "unseen" }, "What the searches did in their turns"),
    h("thead", {}, h("tr", {}, ["search", "seconds", "expansions", "figures", "ended by"].map((name) => h("th", { scope: "col" }, name)))), rows);
  const details = h("details", {}, h("summary", {}, "Turns"), h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Turns" }, table));
  root.replaceChildren(h("div", { class: "working" }, now, details));
  let solver = "";
  let elapsed = 0;
  let expansions = 0;
  let best = null;
  let rules = null;
  const silent = setTimeout(() => {
    now.textContent = "Starting… The server has not answered yet. A browser opens at most six connections to a server; "
      + "searches in other tabs may hold them all, and this one begins when one of them ends.";
  }, SILENT);
  const write = () => {
    now.textContent = [solver ? `${solver} is searching` : "Waiting", `${elapsed.toFixed(0)} s`,
      plural(expansions, "expansion"), rules === null ? "" : plural(rules, "rule"),
      best === null ? "" : `best distance ${best}`].filter(Boolean).join(" · ");
  };
  return {
    answered: () => clearTimeout(silent),
    hear(event) {
      if (event.event === "waiting") now.textContent = `${plural(event.ahead, "search")} ahead of this one`;
      if (event.event === "tick") elapsed = event.seconds;
      if (event.event === "turn" && event.status === "running") solver = event.solver;
      else if (event.event === "turn") {
        expansions += event.expansions;
        rules = event.figures.rules ?? rules;
        if (event.figures.distance !== undefined) best = Math.min(best ?? Infinity, event.figures.distance);
        rows.append(h("tr", {}, h("th", { scope: "row" }, event.solver), h("td", {}, event.cpu_seconds.toFixed(3)),
          h("td", {}, String(event.expansions)),
          h("td", {}, Object.entries(event.figures).map(([name, value]) => `${name} ${value}`).join(", ")),
          h("td", {}, event.status)));
        if (rows.children.length > 200) rows.firstChild.remove();
      }
      if (event.event !== "waiting") write();
    },
    end(event) {
      clearTimeout(silent);
      root.firstChild.classList.remove("working");
      now.textContent = event.event === "done" ? `Done: ${counted(event)}` :
        event.event === "cancelled" ? "Cancelled" : "It failed";
      if (!rows.children.length) details.remove();
    },
  };
}
