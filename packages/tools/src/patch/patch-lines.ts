import { parseJson } from '@varve/text';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { fromUnifiedDiff } from './unified-diff.ts';

const operation = lazy(() =>
  z.object({
    type: z.enum(['create_file', 'update_file', 'delete_file']),
    path: z.string(),
    diff: z.string().optional(),
    moveTo: z.string().optional(),
  }),
);
const wrapperSchema = lazy(() =>
  z.union([
    z.object({ patch: z.string() }).transform(({ patch }) => patch),
    z.object({ input: z.string() }).transform(({ input }) => input),
    z.tuple([z.literal('apply_patch'), z.string()]).transform(([, patch]) => patch),
    z.object({ operations: z.array(operation()) }).transform(({ operations }) => fromOperations(operations)),
    operation().transform((change) => fromOperations([change])),
  ]),
);

const headings = { create_file: 'Add', update_file: 'Update', delete_file: 'Delete' } as const;

/**
 * Returns the lines of a patch without the wrappers that models add: a code fence, a here-document, JSON that contains
 * the patch, the operations of other patch tools. A unified diff is translated. Line ends are normalized.
 */
export function patchLines(input: string): readonly string[] {
  const patch = input.replaceAll('\r\n', '\n').trim();
  const text = /^```\w*\n([^]*)\n```$/.exec(patch)?.[1]?.trim() ?? patch;
  const inner = /^(?:apply_patch\s+)?<<-?\s*(['"]?)(\w+)\1\n(.*)\n\2$/s.exec(text)?.[3] ?? fromJson(text) ?? text;
  return fromUnifiedDiff(inner.trim().split('\n'));
}

function fromJson(text: string): string | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  return wrapperSchema().safeParse(parseJson(text)).data?.replaceAll('\r\n', '\n');
}

function fromOperations(operations: readonly z.output<ReturnType<typeof operation>>[]): string {
  const sections = operations.map(({ type, path, diff, moveTo }) =>
    [
      `*** ${headings[type]} File: ${path}`,
      ...(moveTo === undefined ? [] : [`*** Move to: ${moveTo}`]),
      ...(diff === undefined || diff === '' ? [] : [diff.replace(/\r?\n$/, '')]),
    ].join('\n'),
  );
  return ['*** Begin Patch', ...sections, '*** End Patch'].join('\n');
}
