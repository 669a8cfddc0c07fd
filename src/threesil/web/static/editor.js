// The text of the page Prove: an editor that marks the place of an error.

import {
  Decoration, EditorState, EditorView, StateEffect, StateField, defaultKeymap, history, historyKeymap, keymap, lineNumbers,
} from "./codemirror.js";

const WORD = /^(?:[\p{L}\p{N}_]+|.)/u;

const setError = StateEffect.define();
const errors = StateField.define({
  create: () => null,
  // A mark goes with the next change: nobody knows yet whether it is still wrong.
  update: (error, change) => change.effects.reduce((last, effect) => (effect.is(setError) ? effect.value : last), change.docChanged ? null : error),
  provide: (field) => [
    EditorView.decorations.compute([field], (state) => marks(state.doc, state.field(field))),
    EditorView.contentAttributes.compute([field], (state) => (state.field(field) ? { "aria-invalid": "true" } : {})),
  ],
});

// The line of an error, and the word where it is; columns are counted in letters, as the server counts them.
function marks(doc, error) {
  if (!error?.column || (error.line ?? 1) > doc.lines) return Decoration.none;
  const line = doc.line(error.line ?? 1);
  const before = [...line.text].slice(0, error.column - 1).join("").length;
  const word = WORD.exec(line.text.slice(before))?.[0].length ?? 0;
  const found = [Decoration.line({ class: "wrong-line" }).range(line.from)];
  if (word) found.push(Decoration.mark({ class: "wrong" }).range(line.from + before, line.from + before + word));
  else if (line.length) found.push(Decoration.mark({ class: "wrong-end" }).range(line.to - 1, line.to));
  return Decoration.set(found);
}

// `changed` is called after each change, `enter` when the text is to be proved, and no change is made that `refuse`s.
export function makeEditor({ text, label, describedBy, changed, enter, refuse }) {
  const go = () => {
    enter();
    return true;
  };
  const view = new EditorView({
    doc: text,
    extensions: [
      errors, history(), lineNumbers(), EditorView.lineWrapping,
      keymap.of([
        { key: "Enter", run: (one) => one.state.doc.lines === 1 && go() },
        { key: "Mod-Enter", run: go }, { key: "Ctrl-Enter", run: go },
        ...defaultKeymap, ...historyKeymap,
      ]),
      EditorView.contentAttributes.of({
        id: "text", "aria-labelledby": label, "aria-describedby": describedBy, spellcheck: "false", autocorrect: "off", autocapitalize: "off",
      }),
      EditorState.changeFilter.of((change) => !change.docChanged || !refuse(change.newDoc)),
      EditorView.editorAttributes.compute(["doc"], (state) => ({ class: state.doc.lines > 1 ? "many-lines" : "one-line" })),
      EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
    ],
  });
  return {
    element: view.dom,
    get text() { return view.state.doc.toString(); },
    set text(value) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } }); },
    mark: (error) => view.dispatch({ effects: setError.of(error) }),
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}
