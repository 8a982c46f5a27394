import { chatFormat } from './chat/chat-format.ts';
import { claudeCodeFormat } from './claude-code/session-format.ts';
import { codexFormat } from './codex/rollout-format.ts';
import { limitedFormat } from './common/limited-format.ts';
import type { LogFormat } from './common/log-format.ts';
import { evaluationFormat } from './evaluation/evaluation-format.ts';
import { historyFormat } from './mcpbench/history-format.ts';
import { logJsonFormat } from './mcpbench/log-json.ts';
import { orxhestraDatabaseFormat } from './orxhestra/database-format.ts';
import { orxhestraFormat } from './orxhestra/session-format.ts';
import { otlpFormat } from './otel/otlp-format.ts';
import { htmlFormat } from './transcripts/html.ts';
import { markdownFormat } from './transcripts/markdown.ts';
import { piFormat } from './pi/session-format.ts';
import { miniSweAgentFormat, sweAgentFormat } from './swe-agent/trajectory-formats.ts';
import { eventDirectoryFormat } from './v0/event-directory.ts';
import { pickledStateFormat } from './v0/pickled-state.ts';
import { trajectoryFormat } from './v0/trajectory.ts';
import { v1DirectoryFormat, v1EventsFormat } from './v1/event-formats.ts';
/** All formats; the first that matches reads a file. */
export const formats: readonly LogFormat[] = [
  eventDirectoryFormat,
  v1DirectoryFormat,
  pickledStateFormat,
  orxhestraFormat,
  orxhestraDatabaseFormat,
  logJsonFormat,
  historyFormat,
  evaluationFormat,
  v1EventsFormat,
  sweAgentFormat,
  miniSweAgentFormat,
  piFormat,
  claudeCodeFormat,
  codexFormat,
  chatFormat,
  trajectoryFormat,
  markdownFormat,
  htmlFormat,
  otlpFormat,
].map(limitedFormat);
