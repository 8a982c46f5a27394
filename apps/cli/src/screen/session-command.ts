import type { CommandFor } from './command-for.ts';
import type { Session } from './session.ts';

/** Command of a session: a file in `slash/`, and a line in `slash-commands.ts`. */
export type SessionCommand = CommandFor<Session>;
