import { readContext, type ContextUse } from '@varve/agent/replay';
import { modelCatalog } from '@varve/llm/wrappers';
import { isLoopback } from '@varve/text';
import { storedRun, type StoredRun } from './stored-run.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Options of `varve context`. */
export interface ContextOptions {
  readonly store?: string;
  readonly json?: true;
}

/** Prints the tokens of each part of a conversation's next model request, and what is free. */
export async function showContext(typed: string, options: ContextOptions, io: TerminalIo): Promise<void> {
  await using store = await openExistingStore(io, options.store);
  const stored = await storedRun(store, typed);
  const window = await windowOf(stored);
  const use = await readContext(await store.read(stored.id), {
    ...(window !== undefined && { contextWindow: window }),
    ...(stored.parameters && { parameters: stored.parameters }),
  });
  if (options.json) {
    io.stdout.json({ id: stored.id, ...(window !== undefined && { context_window: window }), ...use });
    return;
  }
  io.stdout.line(['conversation ', styled('bold', stored.id)]);
  for (const line of lines(use)) io.stdout.line(line);
  io.stderr.line(styled('dim', footer(use, window, stored)));
}

/** Returns the window that the model was used with, else that of the catalogue for a provider's address. */
async function windowOf({ model }: StoredRun): Promise<number | undefined> {
  if (!model || model.settings.contextWindow !== undefined) return model?.settings.contextWindow;
  // A server on this machine may have a model of any name and any window.
  if (isLoopback(model.baseUrl)) return undefined;
  return (await modelCatalog()).find({ model: model.name, baseUrl: model.baseUrl })?.contextWindow;
}

const parts = ['prompt', 'tools', 'skills', 'summaries', 'history'] as const;

function lines(use: ContextUse): readonly string[] {
  const { total, limit } = use;
  const whole = limit ?? total;
  const rows: (readonly [string, number])[] = parts.map((name) => [name, use[name]]);
  if (limit !== undefined) rows.push(['free', Math.max(0, limit - total)]);
  return rows.map(([name, tokens]) => {
    const share = whole > 0 ? `${Math.round((tokens / whole) * 100)} %` : '';
    return `${name.padEnd(12)}${count(tokens).padStart(12)}${share.padStart(8)}`;
  });
}

function footer({ total, limit, counted }: ContextUse, window: number | undefined, { model }: StoredRun): string {
  const name = model?.name ?? 'the model';
  return [
    `about ${count(total)} tokens`,
    limit === undefined || window === undefined
      ? `the window of ${name} is unknown`
      : `${count(limit)} fit next to a reply into the ${count(window)} of ${name}`,
    ...(counted === undefined ? [] : [`the last request had ${count(counted)}`]),
  ].join(' · ');
}

function count(tokens: number): string {
  return tokens.toLocaleString('en');
}
