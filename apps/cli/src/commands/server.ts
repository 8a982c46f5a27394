import type { CliCommand } from '../command-line/cli-command.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { runningServers, type RunningServer } from '../home/running-servers.ts';
import { columnsOf, padded } from '../terminal/columns.ts';
import { styled } from '../terminal/output.ts';

/** Figures of a server by the names of its metrics, with their labels. */
type Figures = Readonly<Record<string, number>>;

/** What a server answered. */
interface ServerStatus {
  readonly url: string;
  /** Why it is not ready, one sentence; null for one that is. */
  readonly problem: string | null;
  readonly figures: Figures;
}

/** Shows what servers are doing, and what is stuck. */
export const server: CliCommand = (parent, io, done) => {
  const group = parent.command('server').description('Show what servers are doing.');
  group
    .command('status')
    .argument('[urls...]', 'servers that accept VARVE_SESSION_API_KEY (default: those that you run on this machine)')
    .option('--json', 'print one JSON object per server')
    .description('Print a table of runs, their ages and what no server executes.')
    .action(async (urls: readonly string[], { json: isJson }: { readonly json?: true }) => {
      const key = io.env['VARVE_SESSION_API_KEY'] ?? '';
      const servers = urls.length > 0 ? urls.map((url) => ({ url, key })) : runningServers(undefined, io);
      const found = await Promise.all(servers.map(statusOf));
      if (isJson) for (const status of found) io.stdout.line(JSON.stringify(status));
      else for (const line of tableOf(found)) io.stdout.line(line);
      if (found.length === 0) io.stderr.line(styled('dim', 'No server runs.'));
      done(found.every(({ problem }) => problem === null) ? exitCodes.ok : exitCodes.storage);
    });
};

/** Longest wait for a server. */
const answerMs = 5_000;

async function statusOf({ url, key }: Pick<RunningServer, 'url' | 'key'>): Promise<ServerStatus> {
  const headers = { 'X-Session-API-Key': key };
  const ask = async (path: string): Promise<Response> =>
    fetch(new URL(path, url), { headers, redirect: 'error', signal: AbortSignal.timeout(answerMs) });
  try {
    const [ready, metrics] = await Promise.all([ask('/ready'), ask('/metrics')]);
    const figures = metrics.ok ? figuresIn(await metrics.text()) : {};
    if (!metrics.ok) return { url, problem: `answers with the status ${metrics.status}`, figures };
    return { url, problem: ready.ok ? null : 'not ready', figures };
  } catch {
    return { url, problem: 'does not answer', figures: {} };
  }
}

/** Reads the metrics of the columns in the format of Prometheus. */
function figuresIn(text: string): Figures {
  const names = new Set(columns.map(([, name]) => name));
  const lines = text.matchAll(/^(\w+(?:\{[^}]*\})?) ([\d.e+-]+)$/gm);
  const figures = Array.from(lines, ([, name = '', value]) => [name, Number(value)] as const);
  return Object.fromEntries(figures.filter(([name]) => names.has(name)));
}

const count = (value: number): string => String(value);
const seconds = (value: number): string => (value < 120 ? `${Math.round(value)} s` : `${Math.round(value / 60)} min`);
const megabytes = (value: number): string => `${Math.round(value / 1e6)} MB`;

/** Columns after the address and the state: heading, metric and form. */
const columns: readonly (readonly [heading: string, name: string, form: (value: number) => string])[] = [
  ['runs', 'varve_runs{state="active"}', count],
  ['oldest', 'varve_run_oldest_seconds{state="active"}', seconds],
  ['waiting', 'varve_runs{state="waiting"}', count],
  ['oldest', 'varve_run_oldest_seconds{state="waiting"}', seconds],
  ['unowned', 'varve_leases_expired', count],
  ['taken over', 'varve_runs_taken_over_total', count],
  ['not handed over', 'varve_hand_overs_failed_total', count],
  ['memory', 'process_resident_memory_bytes', megabytes],
];

function tableOf(found: readonly ServerStatus[]): readonly string[] {
  if (found.length === 0) return [];
  const headings = ['server', 'state', ...columns.map(([heading]) => heading)];
  const rows = found.map(({ url, problem, figures }) => [
    url,
    problem ?? 'ready',
    ...columns.map(([, name, form]) => {
      const value = figures[name];
      return value === undefined ? '-' : form(value);
    }),
  ]);
  const widths = headings.map((_, at) => Math.max(...[headings, ...rows].map((row) => columnsOf(row[at] ?? ''))));
  return [headings, ...rows].map((row) =>
    row
      .map((cell, at) => padded(cell, widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
