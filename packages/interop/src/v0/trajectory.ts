import { InteropError } from '../error.ts';
import { fieldsOf, parseForeignJson } from '../common/foreign-json.ts';
import { onlyText } from '../common/json-lines.ts';
import type { LogFormat } from '../common/log-format.ts';
import { readRecords } from './read-records.ts';
import { typeOf, type V0Record } from './tool-calls.ts';
import { writeRecords } from './write-records.ts';

/** Returns the records of a trajectory: a JSON list. @throws {InteropError} `invalid` for other text. */
export function parseTrajectory(text: string, place: string): readonly unknown[] {
  const json = parseForeignJson(text, place);
  // The server of V0 wraps the list.
  const list = fieldsOf(json)?.['trajectory'] ?? json;
  if (!Array.isArray(list)) throw new InteropError('invalid', `${place} is not a list of records.`);
  return list;
}

/** Returns a trajectory as V0 saves it: a list with four spaces of indentation. */
export function trajectoryText(records: readonly V0Record[]): string {
  return `${JSON.stringify(records, undefined, 4)}\n`;
}

/** Trajectory of OpenHands V0: one JSON file, as `save_trajectory_path` writes it. */
export const trajectoryFormat: LogFormat = {
  name: 'v0',
  async matches(files) {
    const [path] = files.paths;
    if (files.paths.length !== 1 || !path?.endsWith('.json')) return false;
    const start = (await files.start(path)).trimStart();
    return /^(\{\s*"trajectory"\s*:\s*)?\[\s*(\]|\{)/.test(start) && !/^\[\s*\{\s*"kind"/.test(start);
  },
  async read(files, options) {
    const [path = ''] = files.paths;
    const records = parseTrajectory(await onlyText(files), path);
    if (!records.some((record) => isRecord(record))) {
      throw new InteropError('invalid', `${path} contains no action and no observation.`);
    }
    return [readRecords(records, options)];
  },
  write({ events }) {
    const { records, dropped } = writeRecords(events);
    return { files: [{ path: '', text: trajectoryText(records) }], dropped };
  },
};

function isRecord(value: unknown): boolean {
  const fields = fieldsOf(value);
  return fields !== undefined && Object.keys(typeOf(fields)).length > 0;
}
