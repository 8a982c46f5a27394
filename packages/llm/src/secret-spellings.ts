/** Shorter secrets are not looked for in other spellings: those would be found in words that are no secrets. */
const shortest = 8;

/**
 * The spellings in which a secret may come back: as it is, and as part of a URL, of JSON, of JSON within JSON, of HTML, of hex,
 * and of base64 that begins anywhere before it. Each is given once; of base64 only the letters that nothing around the secret
 * has a part in.
 */
export function secretSpellings(secret: string): readonly string[] {
  if (secret.length < shortest) return [secret];
  const hex = Buffer.from(secret).toString('hex');
  const html = secret
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  const urls = [encodeURIComponent, encodeURI].flatMap((encode) => {
    const url = encode(secret.toWellFormed());
    return [url, url.replaceAll(/%\w\w/g, (byte) => byte.toLowerCase())];
  });
  const base64 = [0, 1, 2].map((offset) => base64At(secret, offset));
  const urlSafe = base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_'));
  const json = escaped(secret);
  const jsons = [json, escaped(json), json.replaceAll('/', String.raw`\/`), ...jsonsElsewhere(json)];
  return [...new Set([secret, ...urls, ...jsons, html, hex, hex.toUpperCase(), ...base64, ...urlSafe])];
}

/** JSON as writers in other languages make it, which escape more signs: Go and Python those of HTML, .NET some others too. */
function jsonsElsewhere(json: string): readonly string[] {
  return [/[<>&]/g, /['<>&+`]/g].flatMap((signs) => [
    json.replaceAll(signs, unicodeEscape),
    json.replaceAll(signs, (sign) => unicodeEscape(sign).replaceAll(/[a-f]/g, (digit) => digit.toUpperCase())),
  ]);
}

function unicodeEscape(sign: string): string {
  return String.raw`\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The base64 of bytes that follow `offset` others, without the letters at either end that hold bits of their neighbours. */
function base64At(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const bits = bytes.length * 8;
  return bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
}
