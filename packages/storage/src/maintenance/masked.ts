import { StorageError } from '../contract/error.ts';

/** Shorter ones are found in places that are none of theirs. */
const shortest = 6;

/** How deep JSON lies in JSON: the arguments of a call are a text in a text, and in quarantine an event is one, too. */
const depth = 4;

/**
 * Makes what puts asterisks in the place of secrets in a text of JSON, as many as they have bytes; also where a secret
 * is escaped as JSON does, up to four times over. The text stays JSON of the same shape.
 *
 * @throws {StorageError} `invalid` for a secret of fewer than six characters; when called, for a text that would be no
 * JSON any more.
 */
export function masked(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(secrets.flatMap(formsOf));
  const longestFirst = [...forms].toSorted((one, other) => other.length - one.length);
  // A match that starts behind half an escape is none: its first letter is part of the escape.
  const pattern = new RegExp(`(?<=(?:^|[^\\\\])(?:\\\\\\\\)*)(?:${longestFirst.map(literal).join('|')})`, 'g');
  return (text) => {
    if (!longestFirst.some((form) => text.includes(form))) return text;
    const after = text.replace(pattern, (match) => '*'.repeat(Buffer.byteLength(match)));
    if (isJson(text) && !isJson(after)) {
      throw new StorageError('invalid', 'A secret is more than a part of a text, so it cannot be masked.');
    }
    return after;
  };
}

function formsOf(secret: string): readonly string[] {
  if (secret.length < shortest) {
    throw new StorageError('invalid', `A secret of fewer than ${shortest} characters cannot be told from other text.`);
  }
  const forms = [secret];
  for (let level = 0, plain = secret, ascii = secret; level < depth; level += 1) {
    plain = JSON.stringify(plain).slice(1, -1);
    ascii = escaped(JSON.stringify(ascii).slice(1, -1));
    forms.push(plain, ascii);
  }
  return forms;
}

/** As Python writes it: ASCII only. */
function escaped(text: string): string {
  return text.replace(/[^ -~]/g, (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
