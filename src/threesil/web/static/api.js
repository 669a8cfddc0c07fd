// The page API: what the server can be asked, as it describes itself.

import { get } from "./ask.js";
import { h } from "./dom.js";

export async function show(root) {
  const described = await get("api/openapi.json");
  const rows = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, about]) => operation(path, method, about, described)));
  root.append(h("h1", {}, "The JSON interface"),
    ...described.info.description.trim().split("\n\n").map((part) => h("p", {}, part)),
    h("p", {}, "All of it, for programs: ", h("a", { href: "api/openapi.json" }, "api/openapi.json"), " (OpenAPI)."), ...rows);
}

function operation(path, method, about, described) {
  const name = about.requestBody?.content?.["application/json"]?.schema?.$ref?.split("/").at(-1);
  const schema = name ? described.components.schemas[name] : null;
  return h("section", { class: "operation" },
    h("h2", {}, h("code", {}, `${method.toUpperCase()} ${path}`)),
    (about.description ?? "").split("\n\n").map((part) => h("p", {}, part)),
    fields("Parameters", (about.parameters ?? []).map((one) => [one.name, one.schema, one.required])),
    schema ? fields("Body", Object.entries(schema.properties).map(([key, value]) =>
      [key, value, (schema.required ?? []).includes(key)])) : null);
}

function fields(title, rows) {
  if (!rows.length) return null;
  return h("dl", { "aria-label": title }, rows.map(([name, schema, required]) => [
    h("dt", {}, h("code", {}, name)),
    h("dd", {}, [kind(schema), required ? "needed" : "", schema.description ?? "",
      schema.default !== undefined && schema.default !== null && !Array.isArray(schema.default) ? `default ${schema.default}` : "",
    ].filter(Boolean).join("; "))]));
}

function kind(schema) {
  if (schema.enum) return schema.enum.join(" | ");
  if (schema.anyOf) return schema.anyOf.map(kind).filter((one) => one !== "null").join(" | ");
  if (schema.type === "array") return `list of ${kind(schema.items ?? {})}`;
  return schema.type ?? "value";
}
