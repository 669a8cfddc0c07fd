// The page Comparisons: solvers side by side, every single problem, any two in a scatter.

import { get } from "./ask.js";
import { choice, h, later, plural } from "./dom.js";
import { scatter } from "./chart.js";

const ROWS = 500; // of the table that are drawn

export async function show(root, { rest }) {
  return rest.length ? one(root, rest.join("/")) : all(root);
}

async function all(root) {
  root.append(h("h1", {}, "Comparisons"));
  const { comparisons } = await get("api/comparisons");
  if (!comparisons.length) {
    root.append(h("p", {}, "There is none in the directories that the server was given. Make one: ",
      h("code", {}, "threesil compare dev --theory aim --solvers best,plain --out comparisons/c1"), ", and start ",
      h("code", {}, "threesil serve --comparisons comparisons"), "."));
    return;
  }
  root.append(h("ul", {}, comparisons.map((found) => h("li", {},
    h("a", { href: `#/comparisons/${encodeURIComponent(found.name)}` }, found.name), ": ",
    found.error ?? `${found.systems.join(", ")} on ${plural(found.problems, "problem")} (${found.set}), ${found.seconds} s each`))));
}

const solved = (cell) => cell?.solved === true;

async function one(root, name) {
  const found = await get(`api/comparison?name=${encodeURIComponent(name)}`);
  const systems = found.systems.map((system) => system.name);
  const limit = found.times.at(-1) || 1;
  root.append(h("p", {}, h("a", { href: "#/comparisons" }, "All comparisons")), h("h1", {}, name),
    h("p", {}, `${plural(found.problems.length, "problem")} of ${found.set} in ${found.theory}, ${found.seconds} s of CPU time each`),
    standing(found));
  if (!systems.length) return;
  const options = systems.map((system, index) => [String(index), system]);
  const [xField, x] = choice("x", "Across", options, "0");
  const [yField, y] = choice("y", "Upwards", options, String(Math.min(1, systems.length - 1)));
  const [whichField, which] = choice("which", "Show", [["all", "all problems"], ["both", "solved by both"],
    ["x", "solved by the first alone"], ["y", "solved by the second alone"], ["one", "solved by one of all"], ["none", "solved by none"]], "all");
  const text = h("input", { id: "named", type: "search", autocomplete: "off" });
  const picture = h("div", { class: "wide" });
  const table = h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Problems" });
  const count = h("p", { "aria-live": "polite", class: "quiet" });
  root.append(h("h2", {}, "Single problems"),
    h("div", { class: "row" }, xField, yField, whichField,
      h("div", { class: "field" }, h("label", { for: "named" }, "Name contains"), text)), count, picture, table);

  function wanted() {
    const [a, b] = [Number(x.value), Number(y.value)];
    const word = text.value.trim().toLowerCase();
    const tests = {
      all: () => true,
      both: (cells) => solved(cells[a]) && solved(cells[b]),
      x: (cells) => solved(cells[a]) && !solved(cells[b]),
      y: (cells) => !solved(cells[a]) && solved(cells[b]),
      one: (cells) => cells.filter(solved).length === 1,
      none: (cells) => !cells.some(solved),
    };
    return found.problems.filter((problem) => tests[which.value](problem.cells) && problem.name.toLowerCase().includes(word));
  }

  function draw() {
    const [a, b] = [Number(x.value), Number(y.value)];
    const problems = wanted();
    const time = (cell) => (solved(cell) ? cell.seconds : limit * 1.35);
    count.textContent = plural(problems.length, "problem");
    const points = problems.filter((problem) => problem.cells[a] && problem.cells[b]).map((problem) => ({
      x: time(problem.cells[a]), y: time(problem.cells[b]),
      mark: solved(problem.cells[a]) && solved(problem.cells[b]) ? "both" : "single",
      title: `${problem.name}: ${said(problem.cells[a])}, ${said(problem.cells[b])}`,
    }));
    picture.replaceChildren(...(points.length ? [h("p", { class: "legend" }, h("span", { class: "both" }, "solved by both"), h("span", { class: "single" }, "not solved by both"),
      h("span", { class: "beyond" }, "not solved: beyond the dashed lines")), scatter(points, limit, {
      xTitle: `${systems[a]}, CPU seconds`, yTitle: `${systems[b]}, CPU seconds`,
      label: `CPU seconds of ${systems[a]} and ${systems[b]} on ${plural(points.length, "problem")}; the table has the numbers`,
    })] : []));
    table.replaceChildren(rows(problems));
  }

  function rows(problems) {
    return h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "problem"), systems.map((system) => h("th", { scope: "col" }, system)))),
      h("tbody", {}, problems.slice(0, ROWS).map((problem) => h("tr", {}, h("th", { scope: "row" }, h("code", {}, problem.name)),
        problem.cells.map((cell) => h("td", { class: solved(cell) ? "good" : "" }, said(cell))))),
      problems.length > ROWS ? h("tr", {}, h("td", { colspan: String(systems.length + 1) }, `and ${problems.length - ROWS} more; filter them`)) : null));
  }

  for (const field of [x, y, which]) field.addEventListener("change", draw);
  text.addEventListener("input", later(150, draw));
  draw();
}

function said(cell) {
  if (!cell) return "–";
  if (!solved(cell)) return cell.status;
  const proof = cell.certified ? (cell.rewrites === null ? "certified" : plural(cell.rewrites, "rewrite")) : "a claim";
  return `${cell.seconds.toFixed(3)} s, ${cell.status === "Theorem" ? "" : "refuted, "}${proof}`;
}

function standing(found) {
  return h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Standing" }, h("table", {},
    h("caption", { class: "unseen" }, "Problems solved within each time"),
    h("thead", {}, h("tr", {}, ["solver", ...found.times.map((at) => `in ${at} s`), "certified", "claimed"].map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, found.systems.map((system) => h("tr", {}, h("th", { scope: "row" }, system.name),
      [...system.within, system.certified, system.claimed].map((number) => h("td", { class: "number" }, String(number))))))));
}
