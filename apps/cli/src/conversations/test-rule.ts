import type { PermissionRule } from '@varve/agent/confirmation';
import { replayRules, type RuledCall } from '@varve/agent/replay';
import { eventLines } from '@varve/events/text';
import { openExistingStore } from '../home/open-configured-store.ts';
import { fitted } from '../terminal/columns.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { findConversations } from './find-conversations.ts';

/** Options of `varve permissions test`. */
export interface TestOptions {
  readonly store?: string;
  readonly user?: true;
  readonly json?: true;
}

const wouldBe = { allow: 'let through', ask: 'asked about', deny: 'stopped' } as const;

const texts: Readonly<Record<RuledCall['happened'], string>> = {
  ran: 'ran',
  approved: 'ran after an approval',
  failed: 'failed',
  denied: 'was denied',
  refused: 'was refused by a person',
  nothing: 'has no result',
};

/** Prints the calls of past conversations that a rule matches: what it would have decided, and what happened. */
export async function testRule(
  rule: PermissionRule,
  { workspace, ...options }: TestOptions & { readonly workspace: string | undefined },
  io: TerminalIo,
): Promise<void> {
  await using store = await openExistingStore(io, options.store);
  const { items } = await findConversations(store, { limit: Infinity, workspace });
  let count = 0;
  const matched = { allow: 0, ask: 0, deny: 0 };
  for (const { id } of items) {
    for (const { seq, event, decision, happened } of await replayRules(await store.read(id), [rule])) {
      count += 1;
      if (!decision) continue;
      matched[decision] += 1;
      const call = fitted(eventLines(event).find(({ mark }) => mark === 'action')?.text ?? event.tool_name, 100);
      if (options.json) io.stdout.jsonLine(JSON.stringify({ id, seq, decision, happened, call }));
      else
        io.stdout.line(
          `${wouldBe[decision].padEnd(11)}  ${id.slice(0, 8)} event ${seq}  ${call}  (it ${texts[happened]})`,
        );
    }
  }
  const sums = Object.entries(wouldBe).map(
    ([decision, text]) => `${matched[decision as keyof typeof matched]} ${text}`,
  );
  io.stderr.line(`Of ${count} calls in ${items.length} conversations: ${sums.join(', ')}.`);
}
