import type { SessionCommand } from '../session-command.ts';
import { agents } from './agents.ts';
import { clear } from './clear.ts';
import { compact } from './compact.ts';
import { condense } from './condense.ts';
import { context } from './context.ts';
import { continueRun } from './continue.ts';
import { copy } from './copy.ts';
import { cost } from './cost.ts';
import { diff } from './diff.ts';
import { effort } from './effort.ts';
import { exportSession } from './export.ts';
import { fork } from './fork.ts';
import { goal } from './goal.ts';
import { helpCommand } from './help.ts';
import { history } from './history.ts';
import { mcp } from './mcp.ts';
import { model } from './model.ts';
import { permissions } from './permissions.ts';
import { plan } from './plan.ts';
import { quit } from './quit.ts';
import { rename } from './rename.ts';
import { resume } from './resume.ts';
import { rewind } from './rewind.ts';
import { sandbox } from './sandbox.ts';
import { sessions } from './sessions.ts';
import { skills } from './skills.ts';
import { status } from './status.ts';
import { tree } from './tree.ts';
import { undo } from './undo.ts';

const commands: readonly SessionCommand[] = [
  model,
  effort,
  condense,
  compact,
  context,
  continueRun,
  fork,
  rewind,
  undo,
  tree,
  resume,
  rename,
  sessions,
  history,
  status,
  diff,
  cost,
  mcp,
  skills,
  agents,
  permissions,
  plan,
  sandbox,
  copy,
  exportSession,
  clear,
  goal,
  quit,
];

/** All commands of a session in the order of the help: add a file, then its line here. */
export const slashCommands: readonly SessionCommand[] = [helpCommand(commands), ...commands];
