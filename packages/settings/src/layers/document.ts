import { exceededJsonLimit } from '@varve/text';
import { getNodeValue, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { fileLimits } from '../definitions/file-limits.ts';
import { llmFields } from '../definitions/llm-fields.ts';
import { isSettingKey, settingKeys } from '../definitions/settings.ts';
import { SettingsError } from '../error.ts';
import type { PlacedValue } from './layer.ts';
import { nearest } from './nearest.ts';
import type { FileOrigin } from './origin.ts';
import { checkedValue } from './parse-value.ts';

/**
 * Reads the settings of a file of JSON with comments and trailing commas.
 *
 * @throws {SettingsError} `invalid` for a syntax error, an unknown or repeated key and a value of a wrong type; the
 *   message begins with `file:line:column:`.
 */
export function settingsOfText(text: string, file: Pick<FileOrigin, 'path' | 'layer'>): readonly PlacedValue[] {
  const fail = (offset: number, problem: string): never => {
    const { line, column } = placeIn(text, offset);
    throw new SettingsError('invalid', `${file.path}:${line}:${column}: ${problem}.`);
  };
  if (exceededJsonLimit(text, fileLimits)) fail(0, 'too many nested or listed values');
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [error] = errors;
  // A file of comments and spaces alone has no settings.
  if (!root && errors.every(({ error: code }) => printParseErrorCode(code) === 'ValueExpected')) return [];
  if (error)
    fail(
      error.offset,
      printParseErrorCode(error.error).replaceAll(/(?<=.)[A-Z]/g, (upper) => ` ${upper.toLowerCase()}`),
    );
  if (root?.type !== 'object') return fail(root?.offset ?? 0, 'the file contains no object');
  const read = (section: Node, prefix: string): readonly PlacedValue[] =>
    propertiesOf(section, fail).flatMap(({ name, keyNode, valueNode }) => {
      const key = `${prefix}${name}`;
      if (isSettingKey(key)) {
        const origin: FileOrigin = { kind: 'file', ...file, ...placeIn(text, keyNode.offset) };
        const place = `${file.path}:${origin.line}:${origin.column}`;
        return [{ key, value: checkedValue(key, plainValue(valueNode), place), origin }];
      }
      if (!settingKeys.some((known) => known.startsWith(`${key}.`))) {
        return key === '$schema' ? [] : fail(keyNode.offset, unknownKey(key));
      }
      if (valueNode.type !== 'object') return fail(valueNode.offset, `${key} is not an object`);
      return read(valueNode, `${key}.`);
    });
  return read(root, '');
}

function lastName(key: string): string {
  return key.split('.').at(-1) ?? '';
}

/** Describes an unknown key with the nearest one. */
export function unknownKey(key: string): string {
  const sections = settingKeys.flatMap((known) => known.split('.').slice(0, -1));
  const named = nearest(key, settingKeys.map(lastName));
  // The last name alone is a common mistake: `model` for `llm.model`.
  const similar = nearest(key, [...settingKeys, ...sections]) ?? settingKeys.find((known) => lastName(known) === named);
  const json = JSON.stringify(key.slice(0, 100));
  return similar === undefined ? `unknown key ${json}` : `unknown key ${json}; the nearest is "${similar}"`;
}

/** Describes an unknown field of a model profile with the nearest one. */
export function unknownLlmField(field: string): string {
  const similar = nearest(field, Object.keys(llmFields));
  const hint = similar === undefined ? '' : `; the nearest is "${similar}"`;
  return `A model profile has no field ${JSON.stringify(field.slice(0, 100))}${hint}.`;
}

function propertiesOf(object: Node, fail: (offset: number, problem: string) => never) {
  const names = new Set<string>();
  return (object.children ?? []).flatMap(({ children: [keyNode, valueNode] = [] }) => {
    if (!keyNode || !valueNode) return [];
    const name = String(keyNode.value);
    if (names.has(name)) fail(keyNode.offset, `repeated key ${JSON.stringify(name.slice(0, 100))}`);
    names.add(name);
    return [{ name, keyNode, valueNode }];
  });
}

/** Returns a value as `JSON.parse` makes it; the parser's objects have no prototype. */
function plainValue(node: Node): unknown {
  return JSON.parse(JSON.stringify(getNodeValue(node)));
}

function placeIn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
