import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Changes several files with one patch in the V4A format. */
export const ApplyPatchAction = defineAction('ApplyPatchAction', () => ({
  patch: z.string().describe('The whole patch: "*** Begin Patch" is its first line, "*** End Patch" its last.'),
}));

const fileChange = lazy(() =>
  z.strictObject({
    type: z.enum(['add', 'delete', 'update']),
    old_content: z.exactOptional(z.string()),
    new_content: z.exactOptional(z.string()),
    move_path: z.exactOptional(z.string()),
  }),
);

/** Changes of a patch by path. `fuzz` is 0 if every context line matched exactly. */
export const ApplyPatchObservation = defineObservation('ApplyPatchObservation', () => ({
  message: z.string().default(''),
  fuzz: z.number().int().default(0),
  commit: z.exactOptional(z.strictObject({ changes: z.record(z.string(), fileChange()).default({}) })),
}));
