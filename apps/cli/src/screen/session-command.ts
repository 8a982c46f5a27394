import type { CommandFor } from './command-for.ts';
import type { Session } from './session.ts';

/** Command of a session: an entry in a list of `slash/`. */
export type SessionCommand = CommandFor<Session>;
