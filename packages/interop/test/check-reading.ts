import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { checkMessages, foldEvents, messageBuilder, viewProjection } from '@varve/events/projections';
import { activeBranch, formats, InteropError, type ForeignFiles, type ForeignLog } from '../src/index.ts';
import { countedIds } from './fixture.ts';

const codec = eventCodec(builtinKinds);

/**
 * Reads files as a format. Returns whether they were read or refused.
 *
 * @throws for any other error, and for a log that is not legal: its events cannot be read, its messages are ones that a
 *   provider rejects, or a format cannot write it.
 */
export async function checkReading(files: ForeignFiles, name: string): Promise<'read' | 'refused'> {
  for (const format of formats) await format.matches?.(files);
  const logs = await logsIn(files, name);
  for (const log of logs?.flatMap(withChildren) ?? []) await checkLog(log);
  return logs ? 'read' : 'refused';
}

async function logsIn(files: ForeignFiles, name: string): Promise<readonly ForeignLog[] | undefined> {
  try {
    return await formats.find((format) => format.name === name)?.read?.(files, { newId: countedIds() });
  } catch (error) {
    if (error instanceof InteropError) return undefined;
    throw error;
  }
}

function withChildren(log: ForeignLog): readonly ForeignLog[] {
  return [log, ...log.children.flatMap(withChildren)];
}

async function checkLog({ entries, problems, dropped }: ForeignLog): Promise<void> {
  const ids = new Set(entries.map(({ id }) => id));
  expectTrue(ids.size === entries.length, 'ids are unique');
  expectTrue(
    entries.every(({ seq }, index) => seq === index),
    'positions are dense',
  );
  expectTrue(
    [...problems, ...dropped].every(({ reason }) => reason.length < 200),
    'reasons quote nothing',
  );
  const { events } = await activeBranch(entries);
  const view = foldEvents(viewProjection(codec), events);
  expectTrue(checkMessages(messageBuilder(codec)(view.events)).length === 0, 'messages are legal');
  for (const format of formats) {
    const { name } = format;
    const paths = (format.write?.({ id: 'abc', title: 'A title', events }).files ?? []).map(({ path }) => path);
    expectTrue(new Set(paths).size === paths.length, `${name} writes each file once`);
    expectTrue(
      paths.every((path) => /^[\w/.-]*$/.test(path) && !path.includes('..') && !path.startsWith('/')),
      `${name} writes below its directory`,
    );
  }
}

function expectTrue(isTrue: boolean, fact: string): void {
  if (!isTrue) throw new Error(`Not true: ${fact}.`);
}
