// The page Play: the environment in one's hands.

import { filesView } from "./answer.js";
import { post, postText } from "./ask.js";
import { choice, errorBox, h, plural, say } from "./dom.js";
import { packed, unpacked } from "./link.js";
import { proofView } from "./proof.js";
import { drawTree } from "./tree.js";

const PAUSE = 350; // milliseconds between two actions of the policy
const EXAMPLES = { aim: "x * T(y / x,x) = y", robinson: "2 * S(1 + 0)", groups: "(e * x) * y = x * y" };

export async function show(root, { query, about }) {
  let state = null;
  let actions = [];
  let text = EXAMPLES.aim;
  let theoryName = "aim";
  let playing = null;
  if (query.has("q")) {
    try {
      const asked = await unpacked(query.get("q"));
      text = String(asked.text);
      theoryName = String(asked.theory);
      actions = asked.actions.map(Number);
    } catch { /* a link that somebody cut */ }
  }
  const [theoryField, theory] = choice("theory", "Theory",
    [...about.theories.map((one) => [one.name, one.name]), ...about.files.map((name) => [name, name])], theoryName);
  const [weightsField, weights] = choice("weights", "Weights", [["", "bundled"], ...about.runs.map((name) => [name, name])], "");
  const problem = h("input", { id: "problem", spellcheck: false, autocomplete: "off", autocapitalize: "off", class: "wide-input" });
  problem.value = text;
  const form = h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); begin(problem.value); } },
    theoryField, about.runs.length ? weightsField : null,
    h("div", { class: "field grow" }, h("label", { for: "problem" }, "Problem"), problem),
    h("button", { type: "submit", class: "main" }, "Start"),
    h("button", { type: "button", onclick: () => begin(null) }, "Random problem"));
  const wrong = h("div");
  const board = h("div", { class: "board" });
  root.append(h("h1", {}, "Play an episode"),
    h("p", { class: "quiet" }, "The cursor starts at the root. Move it down, or rewrite the term under it; then it is at the root again. "
      + "Keys: 1 to 9 take an action, u undoes, m lets the policy take one, h shows its hint."), form, wrong, board);

  theory.addEventListener("change", () => {
    if (EXAMPLES[theory.value]) begin(EXAMPLES[theory.value]);
    else begin(null);
  });

  weights.addEventListener("change", () => act());

  function asked(taken) {
    return { theory: theory.value, weights: weights.value || null, text, actions: taken };
  }

  async function ask(more, then = actions) {
    try {
      const answer = await post("api/play", { ...asked(then), ...more });
      wrong.replaceChildren();
      return answer;
    } catch (error) {
      wrong.replaceChildren(errorBox(error.value ?? { message: String(error) }));
      return null;
    }
  }

  async function begin(wanted) {
    halt();
    const before = text;
    text = wanted;
    const answer = await ask({ seed: Math.floor(Math.random() * 2 ** 31) }, []);
    if (answer) update(answer);
    else text = before;
  }

  async function act(...chosen) {
    const answer = await ask({}, [...actions, ...chosen]);
    if (answer) update(answer);
    return answer;
  }

  async function undo() {
    halt();
    if (!actions.length) return;
    const answer = await ask({}, actions.slice(0, -1));
    if (answer) update(answer);
  }

  function halt() {
    playing = null;
  }

  async function goOn(how) {
    const end = await ask({ go: how, seed: Math.floor(Math.random() * 2 ** 31) });
    if (!end) return;
    const mine = {};
    playing = mine;
    for (const action of end.actions.slice(actions.length)) {
      if (playing !== mine) return;
      await act(action);
      await new Promise((done) => setTimeout(done, PAUSE));
    }
    if (playing === mine) halt();
  }

  function best() {
    return state?.legal.length ? state.legal.reduce((a, b) => ((b.chance ?? 0) > (a.chance ?? 0) ? b : a)) : null;
  }

  function hint() {
    const one = best();
    if (!one) return;
    board.querySelector(`[data-action="${one.action}"]`)?.classList.add("hinted");
    say(`The policy would take ${one.name}`);
  }

  // A node below the cursor: move there.
  function pick(index) {
    const path = state.tree.positions[index];
    if (state.cursor.some((step, k) => path[k] !== step)) return;
    const moves = path.slice(state.cursor.length).map((argument) => state.moves[argument]);
    if (moves.length && moves.every((move) => move !== undefined)) act(...moves);
  }

  function update(answer) {
    state = answer;
    actions = answer.actions;
    text = answer.text;
    problem.value = answer.text;
    const focused = board.contains(document.activeElement) ? document.activeElement : null;
    board.replaceChildren(...boardView().filter(Boolean));
    if (focused) refocus(focused);
    say(state.solved ? "Solved, and certified" : `${state.state}; ${plural(state.legal.length, "action")}`);
    packed({ theory: theory.value, text, actions }, "play").then((link) => {
      board.querySelector(".link a")?.setAttribute("href", link);
    });
  }

  // The element with the focus was replaced: the new one gets the focus, so that the keyboard works as before.
  function refocus(gone) {
    const like = [...board.querySelectorAll(".tools button:not([disabled])")].find((one) => one.textContent === gone.textContent);
    const next = like ?? board.querySelector(".answer") ?? board.querySelector(".act") ?? board.querySelector(".tools button:not([disabled])");
    next?.focus({ preventScroll: true });
  }

  function boardView() {
    const tree = state.tree ? drawTree(state.tree, state.state, ["cursor"], pick) : null;
    const done = state.end !== "running" || !state.legal.length;
    return [
      h("p", {}, h("b", {}, "Problem: "), h("code", {}, state.understood)),
      h("div", { class: "tools" },
        h("button", { type: "button", disabled: !actions.length, onclick: undo }, "Undo"),
        h("button", { type: "button", disabled: done || !state.weights, onclick: hint }, "Hint"),
        h("button", { type: "button", disabled: done || !state.weights, onclick: () => act(best().action) }, "Policy: one action"),
        h("button", { type: "button", disabled: done || !state.weights, onclick: () => goOn("best") }, "Let the policy play"),
        h("button", { type: "button", disabled: done || !state.weights, onclick: () => goOn("chance") }, "… at random"),
        h("button", { type: "button", onclick: halt }, "Stop"),
        h("span", { class: "quiet" }, `${actions.length} of ${plural(state.steps, "step")}`,
          state.weights ? "" : "; there are no bundled weights of this theory")),
      state.solved ? solvedView() : done ? h("p", { class: "note" }, `The episode is over: ${state.end === "running" ? "no action is possible" : state.end}.`) : null,
      h("div", { class: "two" },
        h("section", {}, h("h2", {}, "State"), h("p", {}, h("code", {}, state.state)),
          h("p", { class: "legend" }, h("span", { class: "old" }, "below the cursor"), state.weights ? h("span", { class: "new" }, "how likely the policy takes an action") : null),
          h("div", { class: "drawn", tabindex: "0", role: "group", "aria-label": "tree" }, tree ?? h("span", { class: "quiet" }, "too large to be drawn"))),
        h("section", {}, h("h2", {}, `Actions (${state.legal.length})`), actionsView())),
      h("details", {}, h("summary", {}, plural(actions.length, "action")), h("ol", {}, state.names.map((name) => h("li", {}, name)))),
      h("p", { class: "link" }, h("a", { href: "#/play" }, "Link to this state")),
    ];
  }

  function solvedView() {
    return h("section", { class: "answer proved", tabindex: "-1" }, h("h2", {}, h("span", { class: "badge" }, "Solved"), " ", h("code", {}, state.proof.statement)),
      h("p", { class: "quiet" }, `${plural(actions.length, "action")}, ${plural(state.proof.rewrites, "rewrite")}, certified`), proofView(state.proof),
      filesView(state.formats, "episode", (form) => postText(`api/play/${form}`, asked(actions))));
  }

  function actionsView() {
    const sorted = [...state.legal].sort((a, b) => (b.chance ?? 0) - (a.chance ?? 0));
    return h("ol", { class: "acts" }, sorted.map((one, index) => {
      const bar = h("span", { class: "bar", "aria-hidden": "true" });
      bar.style.setProperty("--share", String(one.chance ?? 0));
      return h("li", {}, h("button", { type: "button", class: "act", "data-action": String(one.action), title: `action ${one.action}`, onclick: () => { halt(); act(one.action); } },
        bar, h("span", { class: "key", "aria-hidden": "true" }, index < 9 ? String(index + 1) : ""),
        h("b", {}, one.name.replaceAll("->", "→").replaceAll("<-", "←")), " ",
        h("code", {}, one.equations.join("  or  ")),
        one.chance === null ? null : h("span", { class: "share" }, `${(100 * one.chance).toFixed(one.chance < 0.1 ? 1 : 0)} %`)));
    }));
  }

  function key(event) {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^[1-9]$/.test(event.key)) board.querySelectorAll(".act")[Number(event.key) - 1]?.click();
    else if (event.key === "u") undo();
    else if (event.key === "h" && state?.weights) hint();
    else if (event.key === "m" && state?.weights && best()) act(best().action);
  }
  document.addEventListener("keydown", key);

  const first = await ask({});
  if (first) update(first);
  return () => {
    halt();
    document.removeEventListener("keydown", key);
  };
}
