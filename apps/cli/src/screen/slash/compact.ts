import { condense } from './condense.ts';
import type { SessionCommand } from '../session-command.ts';

/** Another name of `/condense`, which other commands use. */
export const compact: SessionCommand = { ...condense, name: 'compact', description: 'is /condense' };
