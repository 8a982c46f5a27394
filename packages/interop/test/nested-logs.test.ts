import { expect, test } from 'vitest';
import { activeBranch, formats, InteropError, type LogFormat } from '../src/index.ts';
import { checkReading } from './check-reading.ts';
import { filesOf } from './fixture.ts';
import { samples } from './hostile-logs.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Returns a log with a call whose arguments are nested so deeply, as another program writes it. */
async function nestedLog(levels: number) {
  const call = { id: 'c', name: 'terminal', arguments: `{"command":${nested(levels)}}`, origin: 'completion' };
  const fields = { thought: [], action: null, tool_name: 'terminal', tool_call_id: 'c', llm_response_id: 'r' };
  const stamp = { kind: 'ActionEvent', id: 'e0', timestamp: '2026-11-20T23:41:43.907041', source: 'agent' };
  const text = JSON.stringify({ ...stamp, ...fields, tool_call: call });
  const { events } = await activeBranch([{ seq: 0, id: 'e0', kind: 'ActionEvent', parentId: undefined, text }]);
  return { id: 'nested', events };
}

/** Writes a log; undefined if the format refuses it. */
function written(format: LogFormat, log: Awaited<ReturnType<typeof nestedLog>>) {
  try {
    return format.write?.(log);
  } catch (error) {
    if (error instanceof InteropError && error.message.includes(`the format ${format.name}.`)) return undefined;
    throw error;
  }
}

const writable = formats.filter((format) => format.write !== undefined);

test.for(writable)('arguments nested by thousands of levels are written or refused: $name', async (format) => {
  const [shallow, deep] = [written(format, await nestedLog(100)), written(format, await nestedLog(5000))];
  expect(shallow?.files.length).toBeGreaterThan(0);
  expect(deep?.files.length).not.toBe(0);
});

test.for(samples)('values nested by thousands of levels are read or refused: $name of $format', async (sample) => {
  for (const levels of [100, 5000]) {
    // Each text in turn has such a value in place of its first and its last string.
    for (const [path, text] of Object.entries(sample.texts).slice(0, 4)) {
      for (const place of [/:\s*"[^"\\]*"/, /:\s*"[^"\\]*"(?![^]*:\s*"[^"\\]*")/]) {
        const changed = text.replace(place, () => `:${nested(levels)}`);
        const files = filesOf(sample.name, { ...sample.texts, [path]: changed });
        await checkReading(files, sample.format);
      }
    }
  }
});
