import * as z from 'zod';
import { lazy } from '../lazy.ts';
import type { Immutable } from '../immutable.ts';
import { defineFact } from './define-fact.ts';

/** Schema of the change of one file, in all facts that list changes. */
export const fileChange = lazy(() =>
  z.strictObject({
    /** Relative to the workspace with `/`, absolute outside of it. */
    path: z.string(),
    /** Type and permissions of the file afterwards, octal: `100644` a file, `120000` a link. Absent if it is gone. */
    mode: z.exactOptional(z.string()),
    /** Hex SHA-256 of the content before, or `unknown`; null: there was no file. */
    before: z.string().nullable(),
    /** Hex SHA-256 of the content afterwards, or `unknown`; null: the file is gone. */
    after: z.string().nullable(),
    /** Content afterwards, of a link its target; absent where the log contains it already, or with `omitted`. */
    content: z.exactOptional(z.string()),
    /** Encoding of `content`; absent for text. */
    encoding: z.exactOptional(z.literal('base64')),
    /** Reason for which the log does not contain the content. */
    omitted: z.exactOptional(z.enum(['large', 'secret', 'special', 'ignored'])),
  }),
);
/** Change of one file. Equal `before` and `after` record a file as it was found, or a change of its mode. */
export type FileChange = Immutable<z.output<ReturnType<typeof fileChange>>>;

/**
 * Files that a call changed, in the append of its result; or that something else changed while no call ran. Where calls
 * ran concurrently and the path does not identify one, it names all of them. Before the first change of a file that
 * existed, a fact from outside records it as it was found.
 */
export const filesFact = defineFact('varve.files', () =>
  z.strictObject({
    action_id: z.exactOptional(z.string()),
    /** Concurrent calls, one of which made the changes. */
    action_ids: z.exactOptional(z.array(z.string())),
    /** Set if no call made the changes: a person, an editor, a job in the background. */
    outside: z.exactOptional(z.literal(true)),
    /** Id of the `varve.rewind` that made the changes, which has ended. */
    rewind_id: z.exactOptional(z.string()),
    changes: z.array(fileChange()),
  }),
);
