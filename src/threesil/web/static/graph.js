// Which lemma cites which, as a graph: what is proved first stands on top, the theorem below all.
//
// Layers as in Sugiyama's method: a line that passes a layer has a place of its own there.

import { h, s } from "./dom.js";

const WIDE = 7.2; // of a letter
const HIGH = 26; // of a node
const ROW = 54; // from one layer to the next
const GAP = 14;
const LONGEST = 16; // letters of a name
const NARROW = 330; // pixels that there is room for beside the text
const MOST = 300; // chains that are drawn

function shortened(name) {
  const letters = [...name];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : name;
}

const labelOf = (chain) => shortened(chain.lemma ? chain.name.replace(/^lemma[ _]/i, "") : "theorem");

// Points in layers, each below what it cites; `lines` go from a chain to one that it cites.
function layered(chains) {
  const points = chains.map((chain) => ({ chain, width: Math.max(30, [...labelOf(chain)].length * WIDE + 16), above: [], below: [], x: 0 }));
  chains.forEach((chain, index) => { points[index].layer = 1 + Math.max(-1, ...chain.cites.map((cited) => points[cited].layer)); });
  points.at(-1).layer = Math.max(...points.map((point) => point.layer));
  const lines = [];
  for (const [index, chain] of chains.entries()) {
    for (const cited of chain.cites) {
      const line = [points[cited]];
      while (line.at(-1).layer < points[index].layer - 1) {
        const passing = { width: 4, above: [], below: [], x: 0, layer: line.at(-1).layer + 1 };
        points.push(passing);
        line.push(passing);
      }
      line.push(points[index]);
      line.slice(1).forEach((point, at) => {
        point.above.push(line[at]);
        line[at].below.push(point);
      });
      lines.push({ from: index, to: cited, points: line });
    }
  }
  const rows = Array.from({ length: Math.max(...points.map((point) => point.layer)) + 1 }, () => []);
  for (const point of points) rows[point.layer].push(point);
  return { points, lines, rows };
}

function place(row) {
  let at = GAP;
  for (const point of row) {
    point.x = at + point.width / 2;
    at += point.width + GAP;
  }
  return at;
}

// Each layer is sorted by where its neighbours above stand, then by those below, and above again.
function layout(chains) {
  const { points, lines, rows } = layered(chains);
  const sort = (row, side) => {
    const wanted = new Map(row.map((point) => [point, point[side].length
      ? point[side].reduce((sum, one) => sum + one.x, 0) / point[side].length : point.x]));
    row.sort((a, b) => wanted.get(a) - wanted.get(b));
    place(row);
  };
  rows.forEach(place);
  for (const row of rows) sort(row, "above");
  for (const row of rows.toReversed()) sort(row, "below");
  for (const row of rows) sort(row, "above");
  const width = Math.max(...rows.map(place));
  for (const row of rows) {
    const shift = (width - place(row)) / 2;
    for (const point of row) point.x += shift;
  }
  for (const point of points) point.y = GAP + HIGH / 2 + point.layer * ROW;
  return { points, lines, width, height: 2 * GAP + HIGH + (rows.length - 1) * ROW };
}

function path(points) {
  let d = `M${points[0].x} ${points[0].y}`;
  points.slice(1).forEach((point, at) => {
    const half = (points[at].y + point.y) / 2;
    d += `C${points[at].x} ${half} ${point.x} ${half} ${point.x} ${point.y}`;
  });
  return d;
}

// `go` is called with the number of the chain that was chosen.
export function graphView(chains, go) {
  if (chains.length > MOST) return null;
  const { points, lines, width, height } = layout(chains);
  const edges = lines.map((line) => ({ ...line, element: s("path", { class: "edge", d: path(line.points) }) }));
  const mark = (index, on) => {
    for (const edge of edges) if (edge.from === index || edge.to === index) edge.element.classList.toggle("on", on);
  };
  const nodes = chains.map((chain, index) => {
    const { x, y, width: wide } = points[index];
    const names = chain.cites.map((cited) => chains[cited].name).join(", ");
    return s("g", {
      class: chain.lemma ? "node" : "node goal", tabindex: "0", role: "button",
      "aria-label": `${chain.lemma ? chain.name : "theorem"}: ${chain.statement}${names ? `; cites ${names}` : ""}`,
      onclick: () => go(index),
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        go(index);
      },
      onpointerenter: () => mark(index, true), onpointerleave: () => mark(index, false),
      onfocus: () => mark(index, true), onblur: () => mark(index, false),
    }, s("title", {}, `${chain.name}: ${chain.statement}`),
    s("rect", { x: x - wide / 2, y: y - HIGH / 2, width: wide, height: HIGH, rx: 6 }),
    s("text", { x, y: y + 4.5, "text-anchor": "middle" }, labelOf(chain)));
  });
  return h("figure", { class: width > NARROW ? "graph broad" : "graph" },
    h("figcaption", {}, "Which lemma cites which"),
    h("div", { class: "wide" }, s("svg", { role: "group", "aria-label": "Which lemma cites which", viewBox: `0 0 ${width} ${height}`, width, height },
      edges.map((edge) => edge.element), nodes)));
}
