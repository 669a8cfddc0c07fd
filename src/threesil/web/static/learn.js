export function learnView() { return { button: "", panel: "" }; }
