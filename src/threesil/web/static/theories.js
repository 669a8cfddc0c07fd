// The page Theories: equations, known lemmas with their proofs, models, counts.

import { get } from "./ask.js";
import { errorBox, h, later, plural, say } from "./dom.js";
import { packed } from "./link.js";
import { modelView } from "./model.js";
import { proofView } from "./proof.js";

export async function show(root, { rest }) {
  return rest.length ? one(root, rest.join("/")) : all(root);
}

const path = (name) => `#/theories/${encodeURIComponent(name)}`;

async function all(root) {
  const { theories, files } = await get("api/theories");
  const columns = [["axioms", "axioms"], ["definitions", "definitions"], ["known", "known"], ["symbols", "symbols"],
    ["actions", "actions"], ["goals", "goals"], ["parameters", "weights"]];
  root.append(h("h1", {}, "Theories"),
    h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Theories" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "theory"), h("th", { scope: "col" }, "what it is"),
        columns.map(([, title]) => h("th", { scope: "col", class: "number" }, title)))),
      h("tbody", {}, theories.map((theory) => h("tr", {}, h("th", { scope: "row" }, h("a", { href: path(theory.name) }, theory.name)),
        h("td", { class: "title" }, theory.title),
        columns.map(([key]) => h("td", { class: "number" }, key === "parameters"
          ? (theory.parameters === null ? "–" : `${Math.round(theory.parameters / 1000)}k`) : String(theory[key])))))))),
    h("p", { class: "quiet" }, "Weights: the number of parameters of the bundled network."));
  if (files.length) root.append(h("h2", {}, "Files"), h("ul", {}, files.map((name) => h("li", {}, h("a", { href: path(name) }, name)))));
}

async function one(root, name) {
  const theory = await get(`api/theory?name=${encodeURIComponent(name)}`);
  root.append(h("p", {}, h("a", { href: "#/theories" }, "All theories")), h("h1", {}, theory.title || theory.name),
    h("p", {}, [plural(theory.symbols, "symbol"), plural(theory.axioms, "axiom"), plural(theory.definitions, "definition"),
      `${plural(theory.known, "equation")} known to follow`, plural(theory.actions, "action")].join(", "), `; goal: ${theory.goal}`,
    theory.sets.length ? `; problem sets: ${theory.sets.join(", ")}` : "",
    theory.parameters === null ? "; there is no bundled network." : `; its bundled network has ${theory.parameters} parameters.`),
    h("p", {}, "Symbols with their numbers of arguments: ", Object.entries(theory.arities).map(([symbol, arity], index) =>
      [index ? ", " : "", h("code", {}, `${symbol}/${arity}`)])),
    equations(name, theory), models(name), await goals(name, theory));
}

function equations(name, theory) {
  const word = h("input", { id: "word", type: "search", autocomplete: "off" });
  const body = h("tbody");
  const count = h("p", { class: "quiet", "aria-live": "polite" });
  const draw = () => {
    const wanted = word.value.trim().toLowerCase();
    const found = theory.equations.filter((one) => [one.name, one.kind, one.equation].some((text) => text.toLowerCase().includes(wanted)));
    count.textContent = plural(found.length, "equation");
    body.replaceChildren(...found.flatMap((equation) => rows(name, equation)));
  };
  word.addEventListener("input", later(120, draw));
  draw();
  return h("section", {}, h("h2", {}, "Equations"),
    h("div", { class: "field" }, h("label", { for: "word" }, "Name, kind or equation contains"), word), count,
    h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Equations" }, h("table", { class: "equations" },
      h("thead", {}, h("tr", {}, ["name", "kind", "equation", "actions"].map((title) => h("th", { scope: "col" }, title)))), body)));
}

function rows(name, equation) {
  const below = h("tr", { hidden: true }, h("td", { colspan: "4" }, h("p", { class: "quiet" }, "Certifying…")));
  return [h("tr", {}, h("th", { scope: "row" }, equation.name), h("td", {}, equation.kind),
    h("td", {}, h("code", {}, equation.equation), equation.proved ? [" ", proofButton(name, equation, below)] : null),
    h("td", { class: "number" }, equation.actions.map((number) => number ?? "–").join(", "))),
  ...(equation.proved ? [below] : [])];
}

// The proof of a known equation, asked for when it is opened.
function proofButton(name, equation, below) {
  const place = below.firstChild;
  let asked = false;
  const button = h("button", { type: "button", class: "small", "aria-expanded": "false", onclick: async () => {
    below.hidden = !below.hidden;
    button.setAttribute("aria-expanded", String(!below.hidden));
    if (asked) return;
    asked = true;
    try {
      const { proof } = await get(`api/theory/proof?name=${encodeURIComponent(name)}&equation=${encodeURIComponent(equation.name)}`);
      place.replaceChildren(h("p", { class: "quiet" }, `${plural(proof.rewrites, "rewrite")}, ${plural(proof.lemmas, "lemma")}, from the axioms alone, certified`), proofView(proof));
    } catch (error) {
      place.replaceChildren(errorBox(error.value ?? { message: String(error) }));
    }
  } }, "proof");
  return button;
}

function models(name) {
  const size = h("input", { id: "size", type: "number", min: "2", max: "20", value: "3" });
  const place = h("div", { "aria-live": "polite" });
  const form = h("form", { class: "row", onsubmit: async (event) => {
    event.preventDefault();
    place.replaceChildren(h("p", { class: "quiet" }, "Looking for one…"));
    try {
      const found = await get(`api/theory/model?name=${encodeURIComponent(name)}&size=${size.value}`);
      place.replaceChildren(found.model ? modelView(found.model) : h("p", { class: "note" }, found.reason));
      say(found.model ? `A model with ${found.size} elements` : found.reason);
    } catch (error) {
      place.replaceChildren(errorBox(error.value ?? { message: String(error) }));
    }
  } }, h("div", { class: "field" }, h("label", { for: "size" }, "Elements"), size), h("button", { type: "submit" }, "Find a model"));
  return h("section", {}, h("h2", {}, "Finite models"), form, place);
}

async function goals(name, theory) {
  if (!theory.theorems.length) return "";
  const items = await Promise.all(theory.theorems.map(async (goal) => {
    const link = await packed({ text: goal.text, theory: name, seconds: 10 });
    return h("li", {}, h("b", {}, goal.name), ": ", h("a", { href: link }, h("code", {}, goal.understood)));
  }));
  return h("section", {}, h("h2", {}, "Goals to prove"), h("ul", {}, items));
}
