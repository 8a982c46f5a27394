import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { truncateToWidth, type Component } from '@earendil-works/pi-tui';
import type { Usage } from '@varve/events/projections';
import { safeText } from '@varve/events/text';
import { thousands } from '../wording/usage-text.ts';
import type { Theme } from './theme.ts';

/** What the footer shows; what is unknown is left out. */
export interface FooterState {
  readonly model?: string;
  /** Tokens of the last request. */
  readonly contextTokens?: number;
  readonly contextWindow?: number;
  readonly usage?: Usage;
  readonly branch?: string;
  readonly sandbox?: string;
  /** Mode of confirmation. */
  readonly mode?: string;
  /** True if another process works on the conversation. */
  readonly isReadOnly?: boolean;
}

/** Row below the editor. */
export class Footer implements Component {
  readonly #theme: Theme;
  #state: FooterState = {};

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  /** Mode that is shown. */
  get mode(): string | undefined {
    return this.#state.mode;
  }

  /** Changes what is given, and keeps the rest. */
  update(state: FooterState): void {
    this.#state = { ...this.#state, ...state };
  }

  /** Replaces everything. */
  replace(state: FooterState): void {
    this.#state = state;
  }

  invalidate(): void {
    // Nothing is cached.
  }

  render(width: number): string[] {
    const text = safeText(footerParts(this.#state).join(' · ')).replaceAll('\n', ' ');
    return [this.#theme.paint('dim', truncateToWidth(text, width))];
  }
}

/** Returns the parts of the footer, the most important ones first. */
export function footerParts(state: FooterState): readonly string[] {
  const { model, contextTokens, contextWindow, usage, branch, sandbox, mode, isReadOnly } = state;
  const share =
    contextTokens !== undefined && contextWindow !== undefined && contextWindow > 0
      ? `${Math.min(100, Math.round((contextTokens / contextWindow) * 100))}% of ${thousands(contextWindow)}`
      : undefined;
  return [
    isReadOnly ? 'read-only' : undefined,
    model,
    mode === undefined ? undefined : `mode: ${mode}`,
    share,
    usage && usage.input_tokens + usage.output_tokens > 0 ? tokensText(usage) : undefined,
    usage && usage.calls > 0 && usage.unpriced_calls < usage.calls ? `$${(usage.cost_usd ?? 0).toFixed(4)}` : undefined,
    branch,
    sandbox === undefined ? undefined : `sandbox: ${sandbox}`,
  ].filter((part) => part !== undefined);
}

function tokensText({ input_tokens: input, output_tokens: output, cache_read_tokens: cached }: Usage): string {
  const share = cached > 0 && input > 0 ? ` (${Math.round((cached / input) * 100)}% cached)` : '';
  return `${thousands(input)} in${share} / ${thousands(output)} out`;
}

/** Returns the branch of a directory in a git repository, from its files; undefined outside of one. */
export async function branchOf(directory: string): Promise<string | undefined> {
  for (let at = directory; ; at = dirname(at)) {
    const head = await headIn(join(at, '.git'));
    if (head !== undefined) return /^ref: refs\/heads\/(?<name>\S+)/.exec(head)?.groups?.['name'] ?? head.slice(0, 8);
    if (dirname(at) === at) return undefined;
  }
}

/** A worktree has a file that names its directory. */
async function headIn(path: string): Promise<string | undefined> {
  const head = await read(join(path, 'HEAD'));
  if (head !== undefined) return head;
  const named = /^gitdir: (?<directory>.+)/.exec((await read(path)) ?? '')?.groups?.['directory'];
  return named === undefined ? undefined : read(join(resolve(dirname(path), named.trim()), 'HEAD'));
}

async function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
