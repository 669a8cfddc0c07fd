// A search in an address: its settings as JSON, deflated, in letters that an address may have.

const LONGEST = 60_000;

async function through(bytes, transform) {
  const stream = new Blob([bytes]).stream().pipeThrough(transform);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// null if it is too long
export async function packed(search, page = "prove") {
  const bytes = new TextEncoder().encode(JSON.stringify(search));
  if (bytes.length > 20 * LONGEST) return null;
  const small = await through(bytes, new CompressionStream("deflate-raw"));
  if (small.length > LONGEST) return null;
  let letters = "";
  for (const byte of small) letters += String.fromCharCode(byte);
  return `#/${page}?q=${btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

export async function unpacked(text) {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
}
