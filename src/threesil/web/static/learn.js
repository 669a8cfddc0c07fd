// Learn this theory: how a training is begun, what one shows while it runs, and what came of it.

import { get, post } from "./ask.js";
import { errorBox, h, plural, say } from "./dom.js";
import { packed } from "./link.js";

const MINUTES = [1, 3, 10];
const STAGES = {
  rules: "derive rules from the equations", theorems: "make theorems of growing difficulty", parts: "hold some of them out",
  lemmas: "choose lemmas", policy: "train the policy on proofs", "critical pairs": "tune the choice of critical pairs",
  amounts: "see how many lemmas help", "what helps": "see what of all this helps", table: "compare before and after",
};

// A button, and the panel that it opens; `asked` gives the text and its theory.
export function learnView(asked) {
  const wrong = h("div");
  const choices = MINUTES.map((minutes) => h("label", {}, h("input", { type: "radio", name: "minutes", value: String(minutes), checked: minutes === 3 }),
    ` ${plural(minutes, "minute")}`));
  const panel = h("section", { class: "panel", id: "learn", hidden: true, "aria-label": "Learn this theory" },
    h("p", {}, "Makes theorems from the equations alone, finds lemmas and trains weights. Then it shows, on theorems that were held out, what that gains."),
    h("div", { class: "row" }, h("fieldset", {}, h("legend", {}, "About how long"), choices),
      h("button", { type: "button", class: "main", onclick: begin }, "Start")), wrong);
  const button = h("button", { type: "button", "aria-expanded": "false", "aria-controls": "learn", onclick: () => {
    panel.hidden = !panel.hidden;
    button.setAttribute("aria-expanded", String(!panel.hidden));
  } }, "Learn this theory");

  async function begin() {
    wrong.replaceChildren();
    const minutes = Number(panel.querySelector("input:checked").value);
    try {
      const { name } = await post("api/train", { ...asked(), minutes });
      location.hash = `#/runs/${encodeURIComponent(name)}`;
    } catch (error) {
      wrong.replaceChildren(errorBox(error.value ?? { message: String(error) }));
    }
  }
  return { button, panel };
}

// Where a run stands: its stages, what it has made and found, and what can be done with it.
export function trainingView(run, again) {
  const now = run.training;
  const busy = now?.status === "running";
  const left = Object.entries(run.stages ?? {}).filter(([, done]) => !done).map(([name]) => name);
  const act = (path) => tried(again, () => post(path, { name: run.name }));
  return h("section", { class: "training", "aria-label": "Training" },
    busy ? progress(now) : null,
    now?.status === "failed" ? errorBox({ message: now.error }) : null,
    run.stages && (busy || left.length) ? h("ol", { class: "stages" }, Object.entries(run.stages).map(([name, done]) => {
      const state = done ? "done" : name === left[0] && busy ? "now" : "later";
      return h("li", { class: state, "aria-current": state === "now" ? "step" : null }, STAGES[name] ?? name,
        h("span", { class: "unseen" }, { done: ": done", now: ": under way", later: "" }[state]));
    })) : null,
    run.counts?.train ? h("p", {}, found(run)) : null,
    now?.said.length ? h("ul", { class: "quiet" }, now.said.map((words) => h("li", {}, words))) : null,
    h("div", { class: "row" },
      busy ? h("button", { type: "button", onclick: act("api/train/stop") }, "Stop") : null,
      !busy && left.length ? h("button", { type: "button", class: "main", onclick: act("api/train/resume") }, "Resume") : null,
      !busy && left.length ? h("span", { class: "quiet" }, "It is not finished. Nothing that was done is lost.") : null,
      run.done ? h("button", { type: "button", class: "main", onclick: tried(again, () => use(run)) }, "Prove with it") : null));
}

function progress(now) {
  const share = now.total ? `${now.done} of ${now.total}` : now.done ? `${now.done} epochs` : "";
  return h("p", { class: "working" }, h("span", { class: "now" }, `${now.what}${share ? `: ${share}` : "…"} `),
    now.total ? h("progress", { value: now.done, max: now.total, "aria-label": now.what }) : null);
}

function found(run) {
  const { train, dev, test, lemmas } = run.counts;
  return [`${plural(train, "theorem")} to train on`,
    dev || test ? `${(dev ?? 0) + (test ?? 0)} held out` : "",
    run.solved === null || run.solved === undefined ? "" : `${run.solved} proved`,
    lemmas === undefined ? "" : `${plural(lemmas, "lemma")} found`, run.epochs ? `${plural(run.epochs, "epoch")}` : ""].filter(Boolean).join(" · ");
}

function tried(again, act) {
  return async (event) => {
    const button = event.target;
    button.disabled = true;
    try {
      await act();
      await again();
    } catch (error) {
      button.closest(".row").after(errorBox(error.value ?? { message: String(error) }));
    }
    button.disabled = false;
  };
}

// The page Prove, with the theory of a run and its weights.
async function use(run) {
  const kept = await get(`api/run/theory?name=${encodeURIComponent(run.name)}`);
  const goals = kept.theory ? (await get(`api/theory?name=${encodeURIComponent(kept.theory)}`)).theorems : [];
  location.hash = await packed({ text: kept.text ?? goals[0]?.text ?? "", theory: kept.theory, weights: run.name, seconds: 10 });
  say("Proving with what was learned");
}

// Before and after, on what was held out.
export function sharesView(run) {
  if (!run.shares?.length) return null;
  const episode = run.shares[0].seconds === null;
  const share = (count, of) => `${(100 * count / of).toFixed(1)} %`;
  const heads = [episode ? "" : "within, of CPU time", "before", "after", "only before", "only after", "p"];
  return h("section", { class: "shares" }, h("h2", {}, "Before and after"),
    h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Before and after" }, h("table", {},
      h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, run.shares.map((row) => h("tr", {}, h("th", { scope: "row" }, row.seconds === null ? "one episode" : `${row.seconds} s`),
        h("td", { class: "number" }, share(row.before, row.problems)),
        h("td", { class: row.after > row.before ? "number good" : "number" }, share(row.after, row.problems)),
        [row.only_before, row.only_after].map((count) => h("td", { class: "number" }, String(count))),
        h("td", { class: "number" }, row.p.toPrecision(2))))))),
    h("p", { class: "quiet" }, `The share of ${plural(run.shares[0].problems, episode ? "problem" : "theorem")} that training has not seen, `
      + `${episode ? "solved by one greedy episode" : "proved within the time"}, without what was learned and with it; how many only one of both proves; `
      + "and how likely so large a difference is by chance (McNemar's exact test)."),
    run.helps ? null : h("p", { class: "note" }, "In a short time, what was learned proves no more of the theorems it was tried on than is proved "
      + "without it, so that the usual search does not use it. A longer training may help."));
}
