// The JSON interface of the server; see api/openapi.json.

export class ApiError extends Error {
  constructor(value) {
    super(value.message);
    this.value = value;
  }
}

async function checked(response) {
  if (response.ok) return response;
  let value = { message: `the server answered ${response.status}` };
  try {
    value = (await response.json()).error ?? value;
  } catch { /* no JSON */ }
  throw new ApiError(value);
}

function asked(body, signal) {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal };
}

async function fetched(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError({ message: "the server does not answer; does `threesil serve` still run?" });
  }
}

export async function get(path, signal) {
  return (await checked(await fetched(path, { signal }))).json();
}

export async function getText(path) {
  return (await checked(await fetched(path))).text();
}

export async function postText(path, body) {
  return (await checked(await fetched(path, asked(body)))).text();
}

export async function post(path, body, signal) {
  return (await checked(await fetched(path, asked(body, signal)))).json();
}

// Server-sent events of a request; ends when the stream does, or with the signal.
export async function* stream(path, body, signal) {
  const response = await checked(await fetched(path, asked(body, signal)));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const data = text.slice(0, end).split("\n").filter((line) => line.startsWith("data: "));
      if (data.length) yield JSON.parse(data.map((line) => line.slice(6)).join("\n"));
    }
  }
}
