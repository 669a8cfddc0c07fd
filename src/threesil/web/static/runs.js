// The page Runs: training runs; one of them with its table, its stages, and its curves while it trains.

import { get } from "./ask.js";
import { errorBox, h, plural, say } from "./dom.js";
import { curve } from "./chart.js";
import { sharesView, trainingView } from "./learn.js";

const EVERY = 1500; // milliseconds between two looks
const LEAST = 3; // points of a curve, which are not all at the same height

// What is measured each epoch: a title, its unit, and what it means.
const MEANINGS = {
  success: ["Solved by the policy alone", "share", "of some problems, by one greedy episode each"],
  solved: ["Problems solved so far", "problems", "of those that are trained on, each with a certified solution"],
  level: ["Level", "level", "of the curriculum: problems get harder"],
  proved: ["Proved by the search", "share", "of the problems that were searched in the epoch"],
  expansions: ["Expansions of a search", "expansions", "on average; fewer are better"],
  loss: ["Loss", "nats", "how far the network is from the solutions that it learns; lower is better"],
  length: ["Length of all solutions", "actions", "of the shortest ones known, together"],
  steps: ["Steps played", "steps", "in the epoch"],
  seconds: ["Time of an epoch", "seconds", "by the clock"],
  cpu: ["CPU time of an epoch", "seconds", "on all cores together"],
  searched: ["Problems searched", "problems", "in the epoch"],
  solutions: ["New solutions", "solutions", "in the epoch, those that are shorter than known ones included"],
  transitions: ["Examples", "actions", "in states, that the network learns from"],
  value_loss: ["Loss of the values", "", "how far predicted values are from what episodes came to"],
  sil_loss: ["Loss of imitation", "nats", "on the best solutions so far"],
  entropy: ["Entropy of the policy", "nats", "0 where it always does the same"],
};
const HIDDEN = new Set(["epoch", "problems", "finished"]);

export async function show(root, { rest }) {
  return rest.length ? one(root, rest.join("/")) : all(root);
}

const share = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)} %`);
const epochs = (run) => `${run.epochs}${run.of ? ` of ${run.of}` : ""}`;

async function all(root) {
  root.append(h("h1", {}, "Training runs"));
  const { runs } = await get("api/runs");
  if (!runs.length) {
    root.append(h("p", {}, "There is none yet. Paste a theory on the page ", h("a", { href: "#/prove" }, "Prove"), " and choose ", h("i", {}, "Learn this theory"),
      ", or train one on the command line: ", h("code", {}, "threesil train groups --minutes 10 --out runs/r1"), "."));
    return;
  }
  const heads = ["run", "theory", "method", "seed", "state", "epochs", "solved", "policy alone"];
  root.append(h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Runs" }, h("table", {},
    h("thead", {}, h("tr", {}, heads.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, runs.map((run) => h("tr", {},
      h("th", { scope: "row" }, h("a", { href: `#/runs/${encodeURIComponent(run.name)}` }, run.name)),
      run.error ? h("td", { colspan: "7", class: "note" }, run.error) : [
        h("td", {}, run.theory), h("td", {}, run.method), h("td", {}, String(run.seed)), h("td", {}, run.done ? "finished" : "not finished"),
        h("td", {}, epochs(run)), h("td", {}, run.solved === null ? "–" : `${run.solved} of ${run.problems}`), h("td", {}, share(run.success))]))))),
  h("p", { class: "quiet" }, "Solved: problems that it trains on, with a certified solution. Policy alone: the share that one greedy episode each solves."));
}

async function one(root, name) {
  const facts = h("p", { "aria-live": "polite" });
  const table = h("div");
  const state = h("div");
  const charts = h("div", { class: "charts" });
  const wrong = h("div");
  root.append(h("p", {}, h("a", { href: "#/runs" }, "All runs")), h("h1", {}, name), facts, wrong, table, state, charts);
  const metrics = [];
  let over = false;
  let timer = 0;
  let shown = "";

  async function look() {
    clearTimeout(timer);
    try {
      const run = await get(`api/run?name=${encodeURIComponent(name)}&after=${metrics.at(-1)?.epoch ?? -1}`);
      if (over) return;
      wrong.replaceChildren();
      metrics.push(...run.metrics);
      draw(run);
      if (!run.done || run.training?.status === "running") timer = setTimeout(look, EVERY);
    } catch (error) {
      if (over) return;
      wrong.replaceChildren(errorBox(error.value ?? { message: String(error) }));
      timer = setTimeout(look, 5 * EVERY);
    }
  }

  // Only what has changed is drawn anew, so that nobody loses the focus.
  function draw(run) {
    const said = run.theory ? `${run.theory}, method ${run.method}, seed ${run.seed}: ${plural(run.epochs, "epoch")}${run.of ? ` of ${run.of}` : ""}`
      + `${run.solved === null ? "" : `, ${run.solved} of ${run.problems} problems solved`}${run.done ? "; finished" : ""}` : "It begins…";
    if (facts.textContent !== said) facts.textContent = said;
    const now = JSON.stringify([run.training, run.stages, run.counts, run.shares, run.done, run.epochs]);
    if (now !== shown) {
      if (shown && run.done && run.shares?.length && !table.firstChild) say("Trained: the table shows before and after");
      shown = now;
      const focused = state.contains(document.activeElement);
      table.replaceChildren(...[sharesView(run)].filter(Boolean));
      state.replaceChildren(trainingView(run, look));
      if (focused) state.querySelector("button")?.focus();
    }
    if (run.metrics.length) drawCharts();
  }

  function drawCharts() {
    const keys = [...new Set([...Object.keys(MEANINGS), ...metrics.flatMap((row) => Object.keys(row))])].filter((key) => !HIDDEN.has(key));
    charts.replaceChildren(...keys.flatMap((key) => {
      const points = metrics.filter((row) => typeof row[key] === "number").map((row) => [row.epoch + 1, row[key]]);
      if (points.length < LEAST || points.every(([, value]) => value === points[0][1])) return [];
      const [title, unit, meaning] = MEANINGS[key] ?? [key, "", ""];
      return [h("figure", {}, h("figcaption", {}, title), curve(points, { xTitle: "epoch", yTitle: unit, label: `${title} by epoch` }),
        meaning ? h("p", { class: "quiet" }, meaning) : null)];
    }));
  }

  await look();
  return () => {
    over = true;
    clearTimeout(timer);
  };
}
