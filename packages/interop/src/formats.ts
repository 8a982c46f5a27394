import type { LogFormat } from './common/log-format.ts';
import { eventDirectoryFormat } from './v0/event-directory.ts';
import { pickledStateFormat } from './v0/pickled-state.ts';
import { trajectoryFormat } from './v0/trajectory.ts';

/** All formats; the first that matches reads a file. */
export const formats: readonly LogFormat[] = [eventDirectoryFormat, pickledStateFormat, trajectoryFormat];
