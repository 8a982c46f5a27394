import { readCost, type CacheBreak } from '@varve/agent/replay';
import type { Usage } from '@varve/events/projections';
import { modelCatalog } from '@varve/llm/wrappers';
import type { EventStore } from '@varve/storage';
import { isLoopback } from '@varve/text';
import { openExistingStore } from '../home/open-configured-store.ts';
import { pathIn } from '../home/varve-home.ts';
import { fitted, padded } from '../terminal/columns.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { thousands, usageText } from '../wording/usage-text.ts';
import { CostSums } from './cost-sums.ts';
import { findConversations } from './find-conversations.ts';
import { metaFields } from './meta-fields.ts';
import { storedRun } from './stored-run.ts';

/** Options of `varve cost`. */
export interface CostOptions {
  readonly store?: string;
  readonly workspace?: string;
  readonly limit: number;
  readonly json?: true;
}

/** Prints the cost of a conversation, or of the last ones, with its causes. */
export async function showCost(typed: string | undefined, options: CostOptions, io: TerminalIo): Promise<void> {
  await using store = await openExistingStore(io, options.store);
  const sums = new CostSums();
  const workspace = options.workspace === undefined ? undefined : pathIn(io, options.workspace);
  const query = { limit: options.limit, workspace };
  const found = typed === undefined ? await findConversations(store, query) : { items: [{ id: typed }] };
  for (const { id } of found.items) await addCost(sums, store, id, typed !== undefined);
  if (options.json) {
    const tools = Object.fromEntries(sums.tools);
    const by = Object.entries(sums.by).map(([group, usages]) => [group, Object.fromEntries(usages)]);
    return io.stdout.json({ ...Object.fromEntries(Object.entries(sums)), by: Object.fromEntries(by), tools });
  }
  if (sums.total) printSums(sums, typed !== undefined, io);
  else io.stderr.line('Nothing was used yet.');
  if ('hasMore' in found && found.hasMore) io.stderr.line(`The last ${options.limit} conversations; use -n for more.`);
}

async function addCost(sums: CostSums, store: EventStore, typed: string, isOnly: boolean): Promise<void> {
  const { id, model: { baseUrl = 'http://localhost' } = {} } = await storedRun(store, typed);
  const { meta } = await store.summary(id);
  // A server on this machine may have a model of any name and any price.
  const catalog = isLoopback(baseUrl) ? undefined : await modelCatalog();
  const cost = await readCost(await store.read(id), (model, usage) => catalog?.find({ model, baseUrl })?.costOf(usage));
  sums.add(id, metaFields(meta).workspace, cost, isOnly);
}

/** Most rows of a section; `--json` has all. */
const maxRows = 12;

function printSums({ total, by, tools, steps, breaks }: CostSums, isOne: boolean, io: TerminalIo): void {
  const eventOf = ({ id, seq }: { readonly id: string; readonly seq: number }): string =>
    `${isOne ? '' : `${id.slice(0, 8)} `}event ${seq}`;
  printRows('total', total ? [['', costText(total)]] : [], io);
  for (const [group, groupSums] of Object.entries(by)) {
    if (isOne && (group === 'directory' || group === 'conversation')) continue;
    const rows = Array.from(groupSums, ([name, usage]) => ({ name, usage })).toSorted(byCost);
    printRows(
      `by ${group}`,
      rows.map(({ name, usage }) => [name, costText(usage)]),
      io,
    );
  }
  const byTokens = [...tools].toSorted(([, a], [, b]) => b.sentTokens - a.sentTokens);
  const toolRows = byTokens.map(([name, { results, tokens, sentTokens }]) => {
    return [name, `${results} · about ${thousands(tokens)} tokens · ${thousands(sentTokens)} in all requests`] as const;
  });
  printRows('by tool result', toolRows, io);
  const byPrice = steps.toSorted(byCost);
  printRows(
    'by step',
    byPrice.map((step) => [eventOf(step), `${step.purpose} · ${step.model} · ${costText(step.usage)}`]),
    io,
  );
  const byLoss = breaks.toSorted((a, b) => (b.tokens ?? 0) - (a.tokens ?? 0));
  printRows(
    'what broke the cache',
    byLoss.map((each) => [eventOf(each), breakText(each)]),
    io,
  );
}

function printRows(title: string, rows: readonly (readonly [string, string])[], { stdout }: TerminalIo): void {
  if (rows.length > 0) stdout.line(styled('bold', title));
  const shown = rows.slice(0, maxRows).map(([name, text]) => [fitted(name, 40), text] as const);
  const width = Math.max(...shown.map(([name]) => name.length));
  for (const [name, text] of shown) stdout.line(`  ${name === '' ? '' : `${padded(name, width)}  `}${text}`);
  if (rows.length > maxRows) stdout.line(styled('dim', `  … ${rows.length - maxRows} more: --json`));
}

function byCost({ usage: a }: { readonly usage: Usage }, { usage: b }: { readonly usage: Usage }): number {
  return (b.cost_usd ?? 0) - (a.cost_usd ?? 0) || b.input_tokens - a.input_tokens;
}

function costText(usage: Usage): string {
  const { input_tokens: input, cache_read_tokens: cached } = usage;
  return `${usageText(usage)}${cached > 0 ? ` · ${Math.round((cached / input) * 100)} % cached` : ''}`;
}

function breakText({ causes, message, idleMs, tokens, costUsd }: CacheBreak): string {
  const idle = `the server, or ${Math.round(idleMs / 60_000)} min without a request`;
  const texts = causes.map(({ kind, seq, detail }) => {
    if (kind === 'server') return idle;
    return [kind, ...(detail === undefined ? [] : [detail]), ...(seq === undefined ? [] : [`(event ${seq})`])].join(
      ' ',
    );
  });
  const from = message ? ` · from message ${message.at + 1} of ${message.of}` : '';
  const lost = tokens === undefined ? 'the server reports no cached tokens' : `${thousands(tokens)} tokens`;
  return `${texts.join(', ')}${from} · ${lost}${costUsd === undefined ? '' : ` · $${costUsd.toFixed(4)}`}`;
}
