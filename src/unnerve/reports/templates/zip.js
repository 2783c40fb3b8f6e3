// Chosen findings as a zip archive that the page makes by itself: pictures as PNG, values as NPY, a table of classes.
"use strict";

const CRC = Uint32Array.from({ length: 256 }, (_, start) => {
  let value = start;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = CRC[(value ^ byte) & 255] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

// Numbers of 2 or 4 bytes, the lowest first: [[2, 20], [4, size] ...].
function packed(parts) {
  const bytes = new DataView(new ArrayBuffer(parts.reduce((sum, [size]) => sum + size, 0)));
  let place = 0;
  for (const [size, value] of parts) {
    if (size === 2) bytes.setUint16(place, value, true);
    else bytes.setUint32(place, value, true);
    place += size;
  }
  return new Uint8Array(bytes.buffer);
}

// An archive of files that are stored as they are: noise does not pack.
function zipped(files) {
  const [parts, entries] = [[], []];
  let offset = 0;
  for (const [name, bytes] of files) {
    const title = new TextEncoder().encode(name);
    // The names are UTF-8 (bit 11), and no time is known: the first of January 1980.
    const common = [[2, 20], [2, 0x800], [2, 0], [2, 0], [2, 33], [4, crc32(bytes)], [4, bytes.length], [4, bytes.length], [2, title.length], [2, 0]];
    const head = packed([[4, 0x04034b50], ...common]);
    entries.push(packed([[4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]), title);
    parts.push(head, title, bytes);
    offset += head.length + title.length + bytes.length;
  }
  const size = entries.reduce((sum, entry) => sum + entry.length, 0);
  const end = packed([[4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, offset], [2, 0]]);
  return new Blob([...parts, ...entries, end], { type: "application/zip" });
}

const unpackedBytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// NumPy's format, version 1.0: a header that ends at a multiple of 64 bytes, then the values.
function npy(values, shape) {
  const form = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${form}), }`;
  const header = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11) + "\n";
  const bytes = new Uint8Array(10 + header.length + values.length);
  bytes.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, header.length & 255, header.length >> 8]);
  bytes.set(new TextEncoder().encode(header), 10);
  bytes.set(values, 10 + header.length);
  return bytes;
}

const cell = (text) => `"${String(text).replaceAll('"', '""')}"`;

function archive(rows) {
  const files = rows.flatMap((row) => {
    const one = findings[row];
    const found = [];
    const exact = one.found?.exact && one.found.uri.startsWith("data:image/png;base64,");
    if (exact) found.push([`${one.id}.png`, unpackedBytes(one.found.uri.split(",")[1])]);
    if (one.input) found.push([`${one.id}.npy`, npy(unpackedBytes(one.input), payload.shape)]);
    return found;
  });
  const heading = "id,seed,label,before,after,confidence_before,confidence_after,l2,linf,method";
  const lines = rows.map((row) => {
    const one = findings[row];
    const classes = [one.label ?? "", className(one.before), className(one.after)];
    return [one.id, one.seed, ...classes, one.confidence_before, one.confidence_after, one.l2, one.linf, payload.methods[one.method]].map(cell).join(",");
  });
  return zipped([["findings.csv", new TextEncoder().encode([heading, ...lines, ""].join("\n"))], ...files]);
}

function download(rows) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(archive(rows));
  link.download = "findings.zip";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// What a page has no room for is said, with the way to all of it.
function missingWords(rows) {
  const lacking = rows.filter((row) => !findings[row].input).length;
  return lacking ? `The page has no room for the values of ${number(lacking)} of them: the export command writes them all.` : "";
}
