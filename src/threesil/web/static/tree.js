// Terms as trees: labels in preorder with their numbers of arguments, stretches of them coloured.

import { s } from "./dom.js";

const ROW = 34;
const GAP = 10;
const WIDE = 8.2; // of a letter

// x of each node, leaves from left to right, a parent above the middle of its children
function layout(tree) {
  const nodes = [];
  let at = 0;
  let edge = GAP;
  const widths = tree.labels.map((label) => Math.max(20, [...label].length * WIDE + 10));
  function walk(depth, parent) {
    const index = at++;
    const node = { index, depth, parent, x: 0, width: widths[index] };
    nodes[index] = node;
    const children = [];
    for (let k = 0; k < tree.arities[index]; k++) children.push(walk(depth + 1, index));
    if (children.length === 0) {
      node.x = edge + node.width / 2;
      edge += node.width + GAP;
    } else {
      node.x = (children[0].x + children.at(-1).x) / 2;
      const left = node.x - node.width / 2;
      if (left < GAP) {
        const shift = GAP - left;
        for (let k = index; k < at; k++) nodes[k].x += shift;
        edge += shift;
      }
      edge = Math.max(edge, node.x + node.width / 2 + GAP);
    }
    return node;
  }
  walk(0, -1);
  return { nodes, width: edge, height: (Math.max(...nodes.map((n) => n.depth)) + 1) * ROW + 8 };
}

// `marks` are names of stretches in the tree, which become classes; `pick` is called with a node.
export function drawTree(tree, text, marks = ["new", "old"], pick = null) {
  if (tree.labels.length > 400) return null;
  const { nodes, width, height } = layout(tree);
  const variables = new Set(tree.variables);
  const classOf = (index) => {
    const found = marks.filter((mark) => tree[mark] && tree[mark][0] <= index && index < tree[mark][1]);
    return ["node", ...found, variables.has(index) ? "variable" : ""].join(" ").trim();
  };
  const y = (node) => node.depth * ROW + 18;
  const edges = nodes.filter((node) => node.parent >= 0).map((node) => s("line", {
    x1: nodes[node.parent].x, y1: y(nodes[node.parent]) + 11, x2: node.x, y2: y(node) - 11,
    class: classOf(node.index).replace("node", "edge"),
  }));
  const boxes = nodes.map((node) => s("g", { class: classOf(node.index), onclick: pick ? () => pick(node.index) : null },
    s("rect", { x: node.x - node.width / 2, y: y(node) - 11, width: node.width, height: 22, rx: 11 }),
    s("text", { x: node.x, y: y(node) + 4.5, "text-anchor": "middle" }, tree.labels[node.index])));
  return s("svg", {
    class: "tree", role: "img", "aria-label": `The tree of ${text}`,
    viewBox: `0 0 ${width} ${height}`, width, height,
  }, edges, boxes);
}
