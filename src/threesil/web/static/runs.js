// The page Runs: training runs, and the curves of one while it trains.

import { get } from "./ask.js";
import { errorBox, h, plural } from "./dom.js";
import { curve } from "./chart.js";

const EVERY = 2000; // milliseconds between two looks
const FIRST = ["success", "solved", "level"];
const HIDDEN = new Set(["epoch", "problems", "finished"]);

export async function show(root, { rest }) {
  return rest.length ? one(root, rest.join("/")) : all(root);
}

const share = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)} %`);

async function all(root) {
  root.append(h("h1", {}, "Training runs"));
  const { runs } = await get("api/runs");
  if (!runs.length) {
    root.append(h("p", {}, "There is none in the directories that the server was given. Train one: ",
      h("code", {}, "threesil train robinson --out runs/r1"), ", and start ", h("code", {}, "threesil serve --runs runs"), "."));
    return;
  }
  const heads = ["run", "theory", "method", "seed", "epochs", "level", "solved", "success"];
  root.append(h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Runs" }, h("table", {},
    h("thead", {}, h("tr", {}, heads.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, runs.map((run) => h("tr", {},
      h("th", { scope: "row" }, h("a", { href: `#/runs/${encodeURIComponent(run.name)}` }, run.name)),
      run.error ? h("td", { colspan: "7", class: "note" }, run.error) : [
        h("td", {}, run.theory), h("td", {}, run.method), h("td", {}, String(run.seed)),
        h("td", {}, `${run.epochs}${run.of ? ` of ${run.of}` : ""}`), h("td", {}, String(run.level ?? "–")),
        h("td", {}, run.solved === null ? "–" : `${run.solved} of ${run.problems}`), h("td", {}, share(run.success))]))))));
}

async function one(root, name) {
  const facts = h("p", { "aria-live": "polite" });
  const charts = h("div", { class: "charts" });
  const wrong = h("div");
  root.append(h("p", {}, h("a", { href: "#/runs" }, "All runs")), h("h1", {}, name), facts, wrong, charts);
  const metrics = [];
  let over = false;
  let timer = 0;

  async function look() {
    try {
      const run = await get(`api/run?name=${encodeURIComponent(name)}&after=${metrics.at(-1)?.epoch ?? -1}`);
      if (over) return;
      wrong.replaceChildren();
      const said = `${run.theory}, ${run.method}, seed ${run.seed}: ${plural(run.epochs, "epoch")}${run.of ? ` of ${run.of}` : ""}`
        + `${run.solved === null ? "" : `, ${run.solved} of ${run.problems} problems solved`}${run.done ? "; finished" : ""}`;
      if (facts.textContent !== said) facts.textContent = said;
      if (run.metrics.length || !metrics.length) {
        metrics.push(...run.metrics);
        draw();
      }
      if (!run.done) timer = setTimeout(look, EVERY);
    } catch (error) {
      if (over) return;
      wrong.replaceChildren(errorBox(error.value ?? { message: String(error) }));
      timer = setTimeout(look, 5 * EVERY);
    }
  }

  function draw() {
    if (!metrics.length) {
      charts.replaceChildren(h("p", { class: "quiet" }, "No epoch is done yet."));
      return;
    }
    const keys = [...new Set([...FIRST, ...metrics.flatMap((row) => Object.keys(row))])].filter((key) => !HIDDEN.has(key));
    charts.replaceChildren(...keys.flatMap((key) => {
      const points = metrics.filter((row) => typeof row[key] === "number").map((row) => [row.epoch + 1, row[key]]);
      return points.length ? [h("figure", {}, h("figcaption", {}, key), curve(points, { xTitle: "epoch", yTitle: "", label: `${key} by epoch` }))] : [];
    }));
  }

  await look();
  return () => {
    over = true;
    clearTimeout(timer);
  };
}
