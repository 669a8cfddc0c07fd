// Curves and scatters, drawn as SVG from numbers.

import { s } from "./dom.js";

const WIDTH = 400;
const HEIGHT = 220;
const LEFT = 50;
const RIGHT = 14;
const TOP = 22;
const BOTTOM = 40;

function ticks(low, high) {
  const rough = (high - low) / 5 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) found.push(Number(at.toPrecision(12)));
  return found;
}

function powers(low, high) {
  const found = [];
  for (let k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); k++) found.push(10 ** k);
  return found.filter((at) => at >= low * 0.999 && at <= high * 1.001);
}

const short = (value) => (Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(0) : String(value));

function frame({ x, y, xTitle, yTitle, xTicks, yTicks, label }, height = HEIGHT, width = WIDTH) {
  return s("svg", { class: "chart", role: "img", "aria-label": label, viewBox: `0 0 ${width} ${height}`, width, height },
    yTicks.map((at) => [
      s("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(at), y2: y(at) }),
      s("text", { x: LEFT - 6, y: y(at) + 4, "text-anchor": "end" }, short(at))]),
    xTicks.map((at) => s("text", { x: x(at), y: height - BOTTOM + 16, "text-anchor": "middle" }, short(at))),
    s("line", { class: "axis", x1: LEFT, x2: width - RIGHT, y1: height - BOTTOM, y2: height - BOTTOM }),
    s("text", { class: "title", x: (LEFT + width) / 2, y: height - 6, "text-anchor": "middle" }, xTitle),
    s("text", { class: "title", x: 6, y: 14 }, yTitle));
}

// One curve; `points` are [x, y].
export function curve(points, { xTitle, yTitle, label }) {
  const xs = points.map(([at]) => at);
  const ys = points.map(([, at]) => at);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  let [y0, y1] = [Math.min(0, ...ys), Math.max(...ys)];
  if (y0 === y1) y1 = y0 + 1;
  const x = (at) => LEFT + (x1 === x0 ? 0.5 : (at - x0) / (x1 - x0)) * (WIDTH - LEFT - RIGHT);
  const y = (at) => HEIGHT - BOTTOM - (at - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM);
  const svg = frame({ x, y, xTitle, yTitle, xTicks: ticks(x0, x1), yTicks: ticks(y0, y1), label: `${label}; last ${short(ys.at(-1))}` });
  svg.append(s("polyline", { class: "curve", points: points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ") }),
    s("circle", { class: "point", cx: x(xs.at(-1)), cy: y(ys.at(-1)), r: 3.5 }));
  return svg;
}

// Times of two solvers on the same problems; `points` are {x, y, title, mark}, beyond `limit` unsolved.
export function scatter(points, limit, { xTitle, yTitle, label }) {
  const size = 420;
  const low = Math.max(1e-4, Math.min(limit, ...points.map((p) => Math.min(p.x, p.y))));
  const high = limit * 1.6;
  const scale = (at) => Math.log(Math.max(at, low) / low) / Math.log(high / low || 2);
  const x = (at) => LEFT + scale(at) * (size - LEFT - RIGHT);
  const y = (at) => size - BOTTOM - scale(at) * (size - TOP - BOTTOM);
  const marks = powers(low, limit);
  const svg = frame({ x, y, xTitle, yTitle, xTicks: marks, yTicks: marks, label }, size, size);
  svg.append(
    s("line", { class: "diagonal", x1: x(low), y1: y(low), x2: x(high), y2: y(high) }),
    s("line", { class: "limit", x1: x(limit * 1.15), x2: x(limit * 1.15), y1: TOP, y2: size - BOTTOM }),
    s("line", { class: "limit", x1: LEFT, x2: size - RIGHT, y1: y(limit * 1.15), y2: y(limit * 1.15) }),
    ...points.map((p) => s("circle", { class: `point ${p.mark}`, cx: x(p.x).toFixed(1), cy: y(p.y).toFixed(1), r: 3.5 }, s("title", {}, p.title))));
  return svg;
}
