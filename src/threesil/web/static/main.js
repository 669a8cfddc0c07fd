// Which page is shown: the part of the address behind the #.

import { get } from "./ask.js";
import { errorBox, h } from "./dom.js";

const PAGES = [["prove", "Prove"], ["play", "Play"], ["runs", "Runs"], ["comparisons", "Comparisons"],
  ["theories", "Theories"], ["api", "API"]];

let leave = () => {};
let shown = 0;

function place() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [page, ...rest] = path.split("/").map(decodeURIComponent);
  return { page: page || "prove", rest, query: new URLSearchParams(query ?? "") };
}

async function show() {
  const { page, rest, query } = place();
  const known = PAGES.some(([name]) => name === page) ? page : "prove";
  const number = ++shown;
  const main = document.getElementById("main");
  leave();
  leave = () => {};
  for (const link of document.querySelectorAll("#nav a")) {
    link.toggleAttribute("aria-current", false);
    if (link.hash === `#/${known}`) link.setAttribute("aria-current", "page");
  }
  document.title = `${PAGES.find(([name]) => name === known)[1]} · threesil`;
  try {
    const [module, about] = await Promise.all([import(`./${known}.js`), get("api/about")]);
    if (number !== shown) return;
    const root = h("div", { class: `page ${known}` });
    main.replaceChildren(root);
    leave = (await module.show(root, { rest, query, about })) ?? (() => {});
  } catch (error) {
    main.replaceChildren(errorBox(error.value ?? { message: String(error) }));
  }
  if (number > 1) main.focus({ preventScroll: true });
}

document.getElementById("nav").replaceChildren(
  ...PAGES.map(([name, title]) => h("li", {}, h("a", { href: `#/${name}` }, title))));
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});
addEventListener("hashchange", show);
show();
