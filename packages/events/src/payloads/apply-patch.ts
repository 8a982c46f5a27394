import { z } from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Change several files at once by a patch in the V4A format. */
export const ApplyPatchAction = defineAction('ApplyPatchAction', {
  patch: z.string().describe('The whole patch: "*** Begin Patch" is its first line, "*** End Patch" its last.'),
});

const fileChange = z.strictObject({
  type: z.enum(['add', 'delete', 'update']),
  old_content: z.exactOptional(z.string()),
  new_content: z.exactOptional(z.string()),
  move_path: z.exactOptional(z.string()),
});

/** What the patch changed, by path. `fuzz` is 0 when every line of context was found exactly. */
export const ApplyPatchObservation = defineObservation('ApplyPatchObservation', {
  message: z.string().default(''),
  fuzz: z.number().int().default(0),
  commit: z.exactOptional(z.strictObject({ changes: z.record(z.string(), fileChange).default({}) })),
});
