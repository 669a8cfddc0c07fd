// The settings of a search: the everyday ones in sight, the others under "More".

import { choice, h } from "./dom.js";
import { unpacked } from "./link.js";

const LOOK = [["", "a proof or a counter-model"], ["proof", "a proof only"], ["model", "a counter-model only"]];
const PLAIN = { text: "", theory: null, weights: null, seconds: 10, refute: null, size: null, assume: [], helpers: [], from_axioms: false };

// What an address asks for; what it does not say is as usual.
export async function linked(query, first) {
  const plain = { ...PLAIN, text: first.text, theory: first.theory };
  if (!query.has("q")) return plain;
  try {
    const asked = await unpacked(query.get("q"));
    return {
      text: String(asked.text ?? ""), theory: asked.theory ? String(asked.theory) : null, weights: asked.weights ? String(asked.weights) : null,
      seconds: Number(asked.seconds) || PLAIN.seconds, refute: typeof asked.refute === "boolean" ? asked.refute : null,
      size: Number(asked.size) || null, assume: [].concat(asked.assume ?? []).map(String), helpers: [].concat(asked.helpers ?? []).map(String),
      from_axioms: asked.from_axioms === true,
    };
  } catch {
    return plain;
  }
}

// Controls with these values; `changed` is called when the reading of the text may be another one.
export function settingsView(about, wanted, changed) {
  const [theoryField, theory] = choice("theory", "Theory", [
    ["", "that of the text, else aim"],
    ...about.theories.map((one) => [one.name, `${one.name}: ${one.title}`]),
    ...about.files.map((name) => [name, name]),
  ], wanted.theory ?? "");
  const seconds = h("input", { id: "seconds", type: "number", min: "0.1", max: String(about.seconds), step: "any", value: String(Math.min(wanted.seconds, about.seconds)) });
  const [lookField, look] = choice("look", "Look for", LOOK, wanted.refute === null ? "" : wanted.refute ? "model" : "proof");
  const size = h("input", { id: "size", type: "number", min: "2", max: "100", value: wanted.size === null ? "" : String(wanted.size), placeholder: "any" });
  const [weightsField, weights] = choice("weights", "Weights", [["", "the bundled ones"], ...about.runs.map((name) => [name, name])], wanted.weights ?? "");
  const assume = h("textarea", { id: "assume", rows: "2", spellcheck: false, autocomplete: "off", autocapitalize: "off" });
  assume.value = wanted.assume.join("\n");
  const axioms = h("input", { type: "checkbox", id: "axioms", checked: wanted.from_axioms });
  const helpers = about.provers.map((name) => h("input", { type: "checkbox", id: `with-${name}`, value: name, checked: wanted.helpers.includes(name) }));
  const count = h("span", { class: "quiet" });
  const more = h("details", { class: "more-settings" }, h("summary", {}, "More settings ", count),
    h("div", { class: "row" }, lookField, field("size", "Largest counter-model, in elements", size), about.runs.length ? weightsField : null),
    field("assume", "Assume further equations, one a line", assume),
    h("div", { class: "row" },
      h("fieldset", {}, h("legend", {}, "Proof"), h("label", {}, axioms, " from the axioms alone")),
      helpers.length ? h("fieldset", {}, h("legend", {}, "Provers that continue"), helpers.map((box) => h("label", {}, box, ` ${box.value}`))) : null));

  function values() {
    return {
      theory: theory.value || null, seconds: Number(seconds.value) || Math.min(PLAIN.seconds, about.seconds), weights: weights.value || null,
      refute: look.value ? look.value === "model" : null, size: look.value === "proof" ? null : Number(size.value) || null,
      assume: assume.value.split("\n").map((line) => line.trim()).filter(Boolean), from_axioms: axioms.checked,
      helpers: helpers.filter((box) => box.checked).map((box) => box.value),
    };
  }

  function tell() {
    const set = values();
    const others = ["refute", "size", "weights", "assume", "helpers", "from_axioms"]
      .filter((key) => JSON.stringify(set[key]) !== JSON.stringify(PLAIN[key]));
    size.disabled = look.value === "proof";
    count.textContent = others.length ? `(${others.length} set)` : "";
    return others.length;
  }

  more.open = tell() > 0;
  more.addEventListener("change", tell);
  for (const one of [theory, assume]) one.addEventListener("change", changed);
  return {
    element: h("div", { class: "settings" }, h("div", { class: "row" }, theoryField, field("seconds", "CPU seconds a goal", seconds)), more),
    values,
    set theory(name) { theory.value = name ?? ""; },
  };
}

function field(id, label, control) {
  return h("div", { class: "field" }, h("label", { for: id }, label), control);
}
