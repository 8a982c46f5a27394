import type { LogFormat } from './common/log-format.ts';
import { evaluationFormat } from './evaluation/evaluation-format.ts';
import { eventDirectoryFormat } from './v0/event-directory.ts';
import { pickledStateFormat } from './v0/pickled-state.ts';
import { trajectoryFormat } from './v0/trajectory.ts';
import { v1DirectoryFormat } from './v1/event-directory.ts';

/** All formats; the first that matches reads a file. */
export const formats: readonly LogFormat[] = [
  eventDirectoryFormat,
  v1DirectoryFormat,
  pickledStateFormat,
  trajectoryFormat,
  evaluationFormat,
];
