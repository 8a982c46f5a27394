import { parseJson } from '@varve/text';
import { SettingsError } from '../error.ts';
import { definitionOf, type SettingKey } from '../definitions/settings.ts';

/** Checks a value. @throws {SettingsError} `invalid`; the message begins with `place` and contains no value. */
export function checkedValue(key: SettingKey, value: unknown, place: string): unknown {
  const { data, error } = definitionOf(key).schema().safeParse(value);
  if (!error) return data;
  const [issue] = error.issues;
  const inside = issue?.path.length ? `.${issue.path.join('.')}` : '';
  throw new SettingsError('invalid', `${place === key ? '' : `${place}: `}${key}${inside}: ${issue?.message}.`);
}

/**
 * Reads a value from the text of a variable or an argument: as it is, as JSON, as `1` or `0`, or as a list with commas,
 * whichever has the type of the setting first.
 *
 * @throws {SettingsError} `invalid`; the message begins with `place` and contains no value.
 */
export function valueOfText(key: SettingKey, text: string, place: string): unknown {
  const { schema } = definitionOf(key);
  const readings = [text, parseJson(text), { 1: true, 0: false }[text], text.split(',').map((part) => part.trim())];
  const reading = readings.filter((value) => value !== undefined).find((value) => schema().safeParse(value).success);
  return reading ?? checkedValue(key, parseJson(text) ?? text, place);
}
