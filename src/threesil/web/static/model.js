// A counter-model: its tables, and the cells that the failing values lead to.

import { h } from "./dom.js";

function cell(value, marked) {
  return h("td", { class: marked ? "number hit" : "number" }, String(value),
    marked ? h("span", { class: "unseen" }, " (used)") : null);
}

function square(table, one, size, values) {
  const marks = table.marks.filter((place) => one.first.every((value, k) => place[k] === value)).map((place) => place.slice(-2));
  const at = (row, column) => marks.some(([a, b]) => a === row && b === column);
  const title = one.first.length ? `${table.symbol}(${one.first.join(",")}, row, column)` : table.symbol;
  return h("table", { class: "cayley" }, h("caption", { class: "unseen" }, `The table of ${title}`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, one.first.length ? title : table.symbol),
      size.map((column) => h("th", { scope: "col", class: "number" }, String(column))))),
    h("tbody", {}, one.rows.map((row, index) => h("tr", {}, h("th", { scope: "row", class: "number" }, String(index)),
      row.map((value, column) => cell(value, at(index, column)))))));
}

function tableView(table, size) {
  if (table.arity === 1) {
    return h("div", {}, h("table", { class: "cayley" }, h("caption", { class: "unseen" }, `The table of ${table.symbol}`),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "x"), size.map((x) => h("th", { scope: "col", class: "number" }, String(x))))),
      h("tbody", {}, h("tr", {}, h("th", { scope: "row" }, `${table.symbol}(x)`),
        table.values.map((value, x) => cell(value, table.marks.some(([place]) => place === x)))))));
  }
  return h("div", {}, table.squares.map((one) => square(table, one, size)),
    table.is ? h("p", { class: "quiet" }, `${table.symbol} is ${table.is}`) : null,
    table.left_out ? h("p", { class: "quiet" }, `and ${table.left_out} more tables of ${table.symbol}`) : null);
}

export function modelView(model) {
  const size = [...Array(model.size).keys()];
  const constants = model.tables.filter((table) => table.arity === 0);
  return h("div", { class: "model" },
    model.failure ? h("p", { class: "failure" }, "It fails ", h("code", {}, model.failure)) : null,
    h("p", {}, `A model with ${model.size} elements`, constants.length ? ", " : "",
      constants.map((table, index) => [index ? ", " : "", h("code", {}, `${table.symbol} = ${table.values[0]}`)]), ":"),
    model.tables.some((table) => table.marks.length)
      ? h("p", { class: "legend" }, h("span", { class: "hit" }, "looked up for the failing values")) : null,
    h("div", { class: "tables" }, model.tables.filter((table) => table.arity > 0).map((table) => tableView(table, size))),
    model.defined.length ? h("p", { class: "quiet" }, `${model.defined.join(", ")} as defined`) : null);
}
