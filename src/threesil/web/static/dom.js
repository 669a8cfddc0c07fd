// Elements made of values. Texts are never read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && !(element instanceof SVGElement) && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// What a screen reader should say.
export function say(text) {
  document.getElementById("said").textContent = text;
}

export function plural(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

export function later(milliseconds, call) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), milliseconds);
  };
}

// An error with the caret under its place.
export function errorBox(error) {
  return h("div", { class: "error", role: "alert" },
    h("p", {}, error.line ? `Line ${error.line}, column ${error.column}: ${error.message}` : error.message),
    error.shown?.length ? h("pre", {}, error.shown.join("\n")) : null);
}

export function choice(id, label, options, value, attributes = {}) {
  const select = h("select", { id, ...attributes },
    options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
  return [h("div", { class: "field" }, h("label", { for: id }, label), select), select];
}
