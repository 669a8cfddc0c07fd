// The search under way: whose turn it is, how long it has taken, and what the last turns did.

import { h, plural } from "./dom.js";

const SILENT = 3_000; // milliseconds without an answer after which it is said why
const ROWS = 200; // turns that are listed

export function counted(end) {
  return `${end.proved} of ${plural(end.of, "goal")} proved${end.refuted ? `, ${end.refuted} refuted` : ""}`;
}

export function progressView(root) {
  const now = h("p", { class: "now" });
  const rows = h("tbody");
  const table = h("table", {},
    h("caption", { class: "unseen" }, "What the searches did in their turns"),
    h("thead", {}, h("tr", {}, ["search", "CPU seconds", "expansions", "figures", "ended by"].map((name) => h("th", { scope: "col" }, name)))), rows);
  const details = h("details", {}, h("summary", {}, "Turns"), h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Turns" }, table));
  root.replaceChildren(h("div", { class: "working" }, now, details));
  const begin = performance.now();
  const of = { solver: "", expansions: 0, best: null, rules: null, goal: "", ahead: null, heard: false };
  const seconds = () => (performance.now() - begin) / 1000;

  function write() {
    if (!of.heard) {
      now.textContent = `Starting… ${seconds().toFixed(0)} s${seconds() * 1000 < SILENT ? "" : ". The server has not answered yet. A browser "
        + "opens at most six connections to a server; searches in other tabs may hold them all, and this one begins when one of them ends."}`;
      return;
    }
    now.textContent = [of.goal, of.solver ? `${of.solver} is searching` : of.ahead ? `Waiting: ${plural(of.ahead, "search")} ahead of this one` : "Waiting",
      `${seconds().toFixed(0)} s`, of.expansions ? plural(of.expansions, "expansion") : "", of.rules === null ? "" : plural(of.rules, "rule"),
      of.best === null ? "" : `best distance ${of.best}`].filter(Boolean).join(" · ");
  }

  function turn(event) {
    if (event.status === "running") {
      of.solver = event.solver;
      return;
    }
    of.expansions += event.expansions;
    of.rules = event.figures.rules ?? of.rules;
    if (event.figures.distance !== undefined) of.best = Math.min(of.best ?? Infinity, event.figures.distance);
    rows.append(h("tr", {}, h("th", { scope: "row" }, event.solver), h("td", {}, event.cpu_seconds.toFixed(3)),
      h("td", {}, String(event.expansions)),
      h("td", {}, Object.entries(event.figures).map(([name, value]) => `${name} ${value}`).join(", ")),
      h("td", {}, event.status)));
    if (rows.children.length > ROWS) rows.firstChild.remove();
  }

  const clock = setInterval(write, 1000);
  write();
  return {
    hear(event) {
      of.heard = true;
      if (event.event === "waiting") of.ahead = event.ahead;
      if (event.event === "turn") turn(event);
      if (event.event === "answer" && event.of > 1) of.goal = `${event.number} of ${plural(event.of, "goal")} done`;
      write();
    },
    end(event) {
      clearInterval(clock);
      root.firstChild.classList.remove("working");
      const what = event.event === "done" ? `Done: ${counted(event)}` : event.event === "cancelled" ? "Cancelled" : "It failed";
      now.textContent = `${what} · ${seconds().toFixed(seconds() < 10 ? 2 : 0)} s`;
      if (!rows.children.length) details.remove();
    },
  };
}
