import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { text, type Content } from '../content.ts';
import { lenientReader } from '../lenient.ts';
import { defineAction, defineObservation, type Observation } from '../define-payload.ts';

/** Runs a command in the persistent shell, polls it, or sends input to the running program. */
export const TerminalAction = defineAction('TerminalAction', () => ({
  command: z
    .string()
    .describe(
      'The shell command. Empty: read new output of the running command. With is_input: the text or key to send.',
    ),
  is_input: z
    .boolean()
    .default(false)
    .describe(
      'Send `command` to the running program instead of starting a new one. Keys: C-c, C-d, C-z, ENTER, TAB, UP.',
    ),
  timeout: z
    .exactOptional(z.number().nonnegative())
    .describe(
      'Hard limit in seconds for this call. Without it, the call returns when there is no new output for a while.',
    ),
  reset: z.boolean().default(false).describe('Start a fresh shell first. Cannot be combined with is_input.'),
}));

/** State of the shell after a command. `exit_code` -1 means still running or unknown. */
export const terminalMetadata = lazy(() =>
  z.strictObject({
    exit_code: z.number().int().default(-1),
    pid: z.number().int().default(-1),
    username: z.exactOptional(z.string()),
    hostname: z.exactOptional(z.string()),
    working_dir: z.exactOptional(z.string()),
    py_interpreter_path: z.exactOptional(z.string()),
    prefix: z.string().default(''),
    suffix: z.string().default(''),
  }),
);

/** Output of one terminal call. `content` is the bare output; text before and after it is in `metadata`. */
export const TerminalObservation = defineObservation(
  'TerminalObservation',
  () => ({
    command: z.exactOptional(z.string()),
    exit_code: z.exactOptional(z.number().int()),
    timeout: z.boolean().default(false),
    metadata: terminalMetadata().default({ exit_code: -1, pid: -1, prefix: '', suffix: '' }),
    full_output_save_dir: z.exactOptional(z.string()),
  }),
  present,
);

const readMetadata = lenientReader(terminalMetadata);

function present({ content, metadata: raw }: Observation): readonly Content[] {
  const parsed = readMetadata(raw);
  if (!parsed.success) return content;
  const { prefix, suffix, working_dir, exit_code } = parsed.data;
  const tail = [
    ...(suffix ? [suffix] : []),
    ...(working_dir ? [`[directory: ${working_dir}]`] : []),
    ...(exit_code === -1 ? [] : [`[exit code: ${exit_code}]`]),
  ];
  return [...(prefix ? [text(prefix)] : []), ...content, ...(tail.length > 0 ? [text(tail.join('\n'))] : [])];
}
