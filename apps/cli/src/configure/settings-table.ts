import { describeOrigin, type SettingEntry } from '@varve/settings';
import { varveHome } from '../home/varve-home.ts';
import { columnsOf, fitted, padded } from '../terminal/columns.ts';
import { styled, type Printable } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Columns of key, value and place; on a terminal the value is cut so that the place fits. */
export function settingsTable(entries: readonly SettingEntry[], io: TerminalIo): readonly Printable[] {
  const rows = entries.map(({ key, value, origin }) => ({
    key,
    value: textOfValue(value),
    place: describeOrigin(origin).replace(`${varveHome(io)}/`, '$VARVE_HOME/'),
  }));
  const keyWidth = widest(rows.map(({ key }) => key));
  const placeWidth = widest(rows.map(({ place }) => place));
  const room = Math.max(12, io.stdout.columns - keyWidth - placeWidth - 4);
  const limit = io.stdout.isTTY ? room : Number.MAX_SAFE_INTEGER;
  const valueWidth = Math.min(widest(rows.map(({ value }) => value)), limit);
  return rows.map(({ key, value, place }) => [
    styled('cyan', padded(key, keyWidth)),
    `  ${padded(fitted(value, limit), valueWidth)}  `,
    styled('dim', place),
  ]);
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(columnsOf));
}

/** Returns a value as text: a string as it is, anything else as JSON. */
export function textOfValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
