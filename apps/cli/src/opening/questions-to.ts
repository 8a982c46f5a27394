import { Questions, type Person } from '@varve/host/people';
import { varveHome } from '../home/varve-home.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { RunOptions } from './run-options.ts';

/** Options of {@link questionsTo}. */
export interface QuestionsToOptions {
  /** Returns the options that apply now. */
  readonly options: () => Pick<RunOptions, 'confirm'>;
  /** True if nothing is asked outside of a run. */
  readonly isClosed?: boolean;
}

/** Returns the questions of runs to a person, whose "always" becomes a rule of the project in varve's directory. */
export function questionsTo(person: Person, io: TerminalIo, { options, isClosed }: QuestionsToOptions): Questions {
  return new Questions(person, {
    ...(isClosed && { isClosed }),
    by: 'cli',
    asksAll: () => options().confirm === 'ask',
    async addRules(rules, workspace) {
      const { permissionStore } = await import('@varve/settings/trust');
      await permissionStore(varveHome(io)).add(rules, 'project', workspace);
    },
  });
}
