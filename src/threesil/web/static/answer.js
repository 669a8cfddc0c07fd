// The answer to a goal: the proof, or why there is none; files and a link to save.

import { getText } from "./ask.js";
import { h, plural, say } from "./dom.js";
import { modelView } from "./model.js";
import { proofView } from "./proof.js";

const TITLES = {
  text: "Text", latex: "LaTeX", json: "JSON", tstp: "TSTP", lean: "Lean", "lean-term": "Lean, as terms", rocq: "Rocq", prover9: "Prover9", mace4: "Mace4",
};

const SUFFIXES = { text: "txt", latex: "tex", rocq: "v", prover9: "in", mace4: "out" };

export function answerView(answer, job, link, search) {
  const satisfied = answer.status === "Satisfiable" && answer.shown.model;
  const badge = satisfied ? ["satisfied", "Satisfiable"] : answer.proved ? ["proved", "Proved"] : answer.refuted ? ["refuted", "Refuted"] :
    answer.claimed ? ["claimed", "Claimed"] : ["open", "Open"];
  const section = h("section", { class: `answer ${badge[0]}`, tabindex: "-1" },
    h("h2", {}, h("span", { class: "badge" }, badge[1]), " ", satisfied ? `${answer.theory} has a model` : h("code", {}, answer.shown.proof?.statement ?? answer.understood)),
    h("p", { class: "quiet" }, summary(answer)),
    answer.note ? h("p", { class: "note" }, answer.note) : null,
    answer.provers ? h("ul", { class: "helpers" }, Object.entries(answer.provers).map(([name, one]) => h("li", {},
      `${name}: ${one.status} after ${one.seconds.toFixed(2)} s${one.reason ? `: ${one.reason}` : ""}`))) : null,
    answer.shown.proof ? proofView(answer.shown.proof) : null,
    answer.shown.model ? modelView(answer.shown.model) : null,
    answer.shown.system ? systemView(answer.shown.system) : null,
    answer.formats.length ? filesView(answer.formats, `answer-${answer.number}`,
      (form) => getText(`api/jobs/${job}/certificates/${answer.number}/${form}`)) : null,
    answer.words ? h("details", {}, h("summary", {}, `In the words of ${answer.by}`), h("pre", {}, answer.words)) : null,
    linkView(link));
  return section;
}

function summary(answer) {
  const cost = `${answer.cpu_seconds.toFixed(3)} s of CPU time, ${plural(answer.expansions, "expansion")}`;
  if (answer.shown.proof) {
    const lemmas = answer.shown.proof.lemmas ? `, ${plural(answer.shown.proof.lemmas, "lemma")}` : "";
    return `${plural(answer.shown.proof.rewrites, "rewrite")}${lemmas}, certified; found by ${answer.by} in ${cost}`;
  }
  if (answer.status === "Satisfiable" && answer.shown.model) return `${answer.reason || "The model is checked"}; ${cost}`;
  if (answer.refuted) return `It does not follow; this was checked; found by ${answer.by} in ${cost}`;
  if (answer.claimed) return `${answer.by} says ${answer.status}: a claim, for ${answer.reason || "nothing was certified"}`;
  return `${answer.status}${answer.reason ? `: ${answer.reason}` : ""}; ${cost}. More time may help.`;
}

// Rules under which the two sides have different normal forms.
function systemView(system) {
  return h("div", { class: "system" },
    h("p", {}, "The normal forms of its sides differ: ", h("code", {}, system.forms)),
    h("details", { open: system.rules.length <= 20 }, h("summary", {}, `under ${plural(system.rules.length, "rule")}, which terminate and whose overlaps all join`),
      h("ul", {}, system.rules.map((rule) => h("li", {}, h("code", {}, rule)))),
      h("p", { class: "quiet" }, "Order: ", h("code", {}, system.order))));
}

// `text` gives the file in a notation, when it is asked for.
export function filesView(formats, name, text) {
  return h("div", { class: "files", role: "group", "aria-label": "Take it away" },
    formats.map((form) => [form, TITLES[form] ?? form]).map(([form, title]) => h("span", { class: "pair" }, h("span", {}, title),
      h("button", { type: "button", "aria-label": `Copy as ${title}`, onclick: (event) => copy(event.target, () => text(form)) }, "copy"),
      h("button", { type: "button", "aria-label": `Download as ${title}`,
        onclick: (event) => tried(event.target, "saved", async () => save(await text(form), `${name}.${SUFFIXES[form] ?? form}`)) }, "save"))));
}

function save(text, name) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text])), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function linkView(link) {
  if (link === null) return h("p", { class: "quiet" }, "The text is too long for a link.");
  return h("p", { class: "link" }, h("a", { href: link }, "Link to this result"), " ",
    h("button", { type: "button", onclick: (event) => copy(event.target, async () => new URL(link, location.href).href) }, "copy link"));
}

function copy(button, text) {
  return tried(button, "copied", async () => navigator.clipboard.writeText(await text()));
}

// Does what a button is for, and says on it how that went.
async function tried(button, well, act) {
  const before = button.textContent;
  try {
    await act();
    button.textContent = well;
    say(well);
  } catch (error) {
    button.textContent = "failed";
    say(error.message);
  }
  setTimeout(() => { button.textContent = before; }, 1500);
}
