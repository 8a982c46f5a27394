/**
 * Returns a text as writers of JSON write it between quotes, once or twice: they differ in what they escape. Both also
 * as a text in JSON of JavaScript, as events hold texts of other programs.
 */
export function jsonTexts(text: string): readonly string[] {
  const once = jsonTextsOnce(text);
  const texts = [...once, ...jsonWriters.map((write, at) => write(once[at] ?? ''))];
  return [...texts, ...texts.map(escaped)];
}

/** Returns a text as writers of JSON write it once. */
export function jsonTextsOnce(text: string): readonly string[] {
  return jsonWriters.map((write) => write(text));
}

/** JavaScript, Python, PHP, Go, Gson and .NET. */
const jsonWriters: readonly ((text: string) => string)[] = [
  escaped,
  (text) => withUnicodeEscapes(escaped(text), /[^ -~]/g),
  (text) => withUnicodeEscapes(escaped(text), /[^ -~]/g).replaceAll('/', String.raw`\/`),
  (text) => withUnicodeEscapes(escaped(text), /[<>&\u2028\u2029]/g),
  (text) => withUnicodeEscapes(escaped(text), /[<>&='\u2028\u2029]/g),
  (text) =>
    withUnicodeEscapes(escaped(text).replaceAll(String.raw`\"`, String.raw`\u0022`), /['<>&+`]|[^ -~]/g, inUpperCase),
];

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const inUpperCase = (digits: string): string => digits.toUpperCase();

function withUnicodeEscapes(json: string, units: RegExp, change = (digits: string): string => digits): string {
  return json.replaceAll(units, (unit) => `\\u${change(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);
}

/** Returns a percent-encoded text as writers of URLs and forms write it: they differ in what they keep. */
export function percentTexts(text: string): readonly string[] {
  return percentWriters.flatMap(([encoded, blank]) => {
    const upper = text.replaceAll(encoded, (character) => (character === ' ' ? blank : percentOf(character)));
    return [upper, upper.replaceAll(/%[\dA-F]{2}/g, (byte) => byte.toLowerCase())];
  });
}

/** What a writer encodes, and what it writes for a blank: components, RFC 3986, paths, URLs, and two kinds of forms. */
const percentWriters: readonly (readonly [RegExp, string])[] = [
  [/[^\w.!~*'()-]/gu, '%20'],
  [/[^\w.~-]/gu, '%20'],
  [/[^\w.~/-]/gu, '%20'],
  [/[^\w.!~*'();,/?:@&=+$#-]/gu, '%20'],
  [/[^\w.*-]/gu, '+'],
  [/[^\w.~-]/gu, '+'],
];

function percentOf(character: string): string {
  const bytes = new TextEncoder().encode(character);
  return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** Returns the bytes of a text in hex, in either case. */
export function hexTexts(text: string): readonly string[] {
  const digits = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [digits, digits.toUpperCase()];
}

/** Returns the base64 of a text alone, in both alphabets, with and without padding. */
export function base64Texts(text: string): readonly string[] {
  const padded = base64Of(text, 0);
  return [padded, padded.replaceAll('=', '')].flatMap(inEveryAlphabet);
}

/**
 * Returns the base64 of a text in others, which starts after 0, 1 or 2 bytes more than a multiple of three: the letters
 * that no neighbour takes part in, and those up to the end, where nothing follows.
 */
export function base64Parts(text: string): readonly string[] {
  const { length } = new TextEncoder().encode(text);
  return [0, 1, 2].flatMap((offset) => {
    const first = Math.ceil((offset * 8) / 6);
    const padded = base64Of(text, offset).slice(first);
    const inside = padded.slice(0, Math.floor(((offset + length) * 8) / 6) - first);
    return [inside, padded.replaceAll('=', ''), padded].flatMap(inEveryAlphabet);
  });
}

function base64Of(text: string, offset: number): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
  return btoa('\0'.repeat(offset) + bytes.join(''));
}

/** The alphabet of URLs, and the other one, also as a part of a URL. */
function inEveryAlphabet(base64: string): readonly string[] {
  return [base64, base64.replaceAll('+', '-').replaceAll('/', '_'), encodeURIComponent(base64)];
}
