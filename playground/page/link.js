// The link: what is in the page, compressed, behind the `#`, which no browser sends.

/// The longest link, and the largest text that one may hold.
const MAX_LINK = 1_000_000;
const MAX_UNPACKED = 20_000_000;

async function through(bytes, stream, max = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  for (let n = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    n += value.length;
    if (n > max) {
      await reader.cancel();
      throw new Error("it is too large");
    }
    parts.push(value);
  }
}

function base64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
  return btoa(text);
}
const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/// The fragment of what is to be shared.
async function packed(shared) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream("deflate-raw"));
  const text = base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  if (text.length > MAX_LINK) throw new Error("the manifests are too large for a link");
  return text;
}

/// What a fragment holds. Only what has the form of what is shared is taken: anybody can write a link.
async function unpacked(fragment) {
  if (fragment.length > MAX_LINK) throw new Error("it is too long");
  const bytes = bytesOf(fragment.replaceAll("-", "+").replaceAll("_", "/"));
  const text = new TextDecoder("utf-8", { fatal: true }).decode(await through(bytes, new DecompressionStream("deflate-raw"), MAX_UNPACKED));
  const read = JSON.parse(text);
  const sides = read && read.sides;
  if (!Array.isArray(sides) || sides.length !== 2 || !sides.every((side) => typeof side === "string")) throw new Error("it has no manifests");
  const taken = { sides };
  for (const key of ["view", "environment", "workload", "resource", "target", "labels"]) if (typeof read[key] === "string") taken[key] = read[key].slice(0, 10_000);
  if (Number.isSafeInteger(read.shard)) taken.shard = read.shard;
  return taken;
}
