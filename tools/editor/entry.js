// What the page uses of CodeMirror.

export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export { EditorState, StateEffect, StateField } from "@codemirror/state";
export { Decoration, EditorView, keymap, lineNumbers } from "@codemirror/view";
