// A proof to read: terms one below the other, what changes marked, the reason for each step.

import { h, plural } from "./dom.js";
import { graphView } from "./graph.js";
import { drawTree } from "./tree.js";

const REST = 350; // milliseconds until a pointer rests

let number = 0;

// A text with stretches of it in classes; letters are counted as the server counts them.
function marked(text, stretches) {
  const letters = [...text];
  const cuts = new Set([0, letters.length]);
  for (const stretch of Object.values(stretches)) if (stretch) stretch.forEach((cut) => cuts.add(cut));
  const sorted = [...cuts].sort((a, b) => a - b);
  return sorted.slice(0, -1).map((start, index) => {
    const part = letters.slice(start, sorted[index + 1]).join("");
    const classes = Object.keys(stretches).filter((name) => {
      const stretch = stretches[name];
      return stretch && stretch[0] <= start && sorted[index + 1] <= stretch[1];
    });
    return classes.length ? h("span", { class: classes.join(" ") }, part) : part;
  });
}

function reason(given) {
  const id = `reason-${++number}`;
  const values = Object.entries(given.values);
  const button = h("button", {
    type: "button", class: "why", "aria-expanded": "false", "aria-controls": id,
    onclick: () => button.setAttribute("aria-expanded", String(button.getAttribute("aria-expanded") !== "true")),
  }, h("span", { class: "equals" }, "="), h("b", {}, given.name), ` ${given.direction === "->" ? "→" : "←"}`,
  h("span", { class: "unseen" }, given.direction === "->" ? "from left to right" : "from right to left"),
  h("code", { class: "rule" }, given.equation),
  h("span", { class: "place" }, `at ${given.place}`));
  const more = h("div", { class: "more", id },
    h("dl", {},
      h("dt", {}, given.kind), h("dd", {}, h("code", {}, given.equation)),
      h("dt", {}, "read"), h("dd", {}, given.direction === "->" ? "from left to right" : "from right to left"),
      h("dt", {}, "at"), h("dd", {}, given.place === "the root" ? "the root" : `position ${given.place}`),
      values.length ? [h("dt", {}, "with"), h("dd", {}, values.map(([name, value]) =>
        h("div", {}, h("code", {}, `${name} = ${value}`))))] : null));
  return h("div", { class: "reason" }, button, more);
}

function chain(given) {
  const rows = given.rows.map((row) => h("li", {},
    h("div", { class: "term", "data-row": "" },
      h("code", {}, marked(row.text, { new: row.new, old: row.old }))),
    row.reason ? reason(row.reason) : null));
  rows.forEach((item, index) => { item.row = given.rows[index]; });
  return h("div", {},
    Object.keys(given.witnesses).length
      ? h("p", {}, "With ", Object.entries(given.witnesses).map(([name, value], index) =>
        [index ? ", " : "", h("code", {}, `${name} = ${value}`)]))
      : null,
    h("ol", { class: "chain" }, rows),
    given.left_out ? h("p", { class: "quiet" }, `${given.left_out} more terms are in the files below.`) : null);
}

function drawn(row) {
  return (row.tree && drawTree(row.tree, row.text)) ?? h("span", { class: "quiet" }, "too large to be drawn");
}

function trees(root, on) {
  for (const item of root.querySelectorAll("ol.chain > li")) {
    const place = item.querySelector(".term");
    place.querySelector(".drawn")?.remove();
    if (on) place.append(h("div", { class: "drawn", tabindex: "0", role: "group", "aria-label": "tree" }, drawn(item.row)));
  }
}

// The tree of the term under the pointer, while it rests there.
function peek(body) {
  let timer = 0;
  body.addEventListener("pointerover", (event) => {
    const term = event.pointerType === "mouse" ? event.target.closest(".term code") : null;
    clearTimeout(timer);
    body.querySelector(".peek")?.remove();
    if (!term || term.parentNode.querySelector(".drawn")) return;
    timer = setTimeout(() => {
      const tree = h("div", { class: "peek", "aria-hidden": "true" }, drawn(term.closest("li").row));
      term.parentNode.append(tree);
      if (tree.getBoundingClientRect().bottom > innerHeight) tree.classList.add("above");
    }, REST);
  });
  body.addEventListener("pointerleave", () => {
    clearTimeout(timer);
    body.querySelector(".peek")?.remove();
  });
}

export function proofView(proof) {
  const lemmas = proof.chains.slice(0, -1);
  const id = `trees-${++number}`;
  const parts = proof.chains.map((one) => (one.lemma
    ? h("details", { class: "lemma" },
      h("summary", {}, h("b", {}, one.heading), ": ", h("code", {}, one.statement), h("span", { class: "quiet" }, ` (${plural(one.steps, "step")})`)),
      chain(one))
    : h("div", { tabindex: "-1" }, lemmas.length ? h("h4", {}, "Theorem") : null, chain(one))));
  const body = h("div", { class: "chains" }, parts);
  peek(body);
  const tools = h("div", { class: "tools" },
    h("label", {}, h("input", { type: "checkbox", id, onchange: (event) => trees(body, event.target.checked) }), " as trees"),
    lemmas.length ? h("button", { type: "button", onclick: () => unfold(true) }, "Unfold all lemmas") : null,
    lemmas.length ? h("button", { type: "button", onclick: () => unfold(false) }, "Fold them") : null,
    h("span", { class: "legend" }, h("span", { class: "old" }, "replaced by the next step"), h("span", { class: "new" }, "put in by the last one")));
  function unfold(open) {
    for (const one of body.querySelectorAll("details")) one.open = open;
  }
  function go(index) {
    if (index < lemmas.length) parts[index].open = true;
    (parts[index].querySelector("summary") ?? parts[index]).focus({ preventScroll: true });
    parts[index].scrollIntoView({ block: "start" });
  }
  const rests = h("details", { class: "rests" },
    h("summary", {}, `It rests on ${plural(proof.axioms.length, "equation")}`),
    h("ul", {}, proof.axioms.map((axiom) => h("li", {},
      h("b", {}, axiom.name), ` (${axiom.kind}): `, h("code", {}, axiom.equation)))));
  const graph = lemmas.length > 1 ? graphView(proof.chains, go) : null;
  return h("div", { class: "proof" }, tools, h("div", { class: "beside" }, body, graph), rests);
}
