import type { LogVerifier, MetaDifference, RequestCheck, SnapshotCheck } from '@varve/agent/replay';
import { type Stored, type Verdict, verify as verifySeals, type VerifyOptions } from '@varve/storage';
import { CliError } from '../failures/cli-error.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import { repairCommandFor } from '../conversations/repair-command-for.ts';
import { acceptCommandFor } from '../opening/resume-command.ts';
import { type ExitCode, exitCodes } from '../failures/exit-codes.ts';
import { resolveId } from '../home/resolve-id.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import { type Printable, styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { unfinishedImport } from '../conversations/unfinished-import.ts';
import { describeVerdict } from './describe-verdict.ts';
import { publicKeys } from './option-values.ts';

interface VerifyCommandOptions {
  readonly store?: string;
  readonly trust: readonly string[];
  readonly requireSigned?: true;
  readonly requireSeals?: true;
  readonly head?: string;
  readonly json?: true;
}

/** Result of comparing the recorded requests of a log with the rebuilt ones. */
interface RequestCount {
  readonly checked: number;
  /** Requests of an older version of the message projection. */
  readonly older: number;
  /** Requests that cannot be rebuilt, because an event before them was scrubbed. */
  readonly scrubbed: number;
  readonly differing: readonly number[];
}

/** Verifies the hash chain of a log and the requests built from it. */
export const verify: CliCommand = (parent, io, done) => {
  parent
    .command('verify')
    .argument('<id>', 'the conversation, or the first characters of its id')
    .description('Verify the hash chain of a log and the requests built from it.')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option(
      '--trust <key>',
      'a trusted public key (did:key:z6Mk…) that must have signed the head; repeatable',
      publicKeys,
      [],
    )
    .option('--require-signed', 'fail unless a key of --trust signed the head; implied by --trust')
    .option('--require-seals', 'fail unless every event was sealed when it was appended, or accepted since')
    .option('--head <hash>', 'a seal noted elsewhere that the log must contain')
    .option('--json', 'the result as JSON')
    .action(async (id: string, options: VerifyCommandOptions) => done(await verifyConversation(id, options, io)));
};

/** Prints the verdict about a log, and returns the exit code. */
async function verifyConversation(id: string, options: VerifyCommandOptions, io: TerminalIo): Promise<ExitCode> {
  const requirements = requirementsOf(options);
  await using store = await openExistingStore(io, options.store);
  const log = await store.read(await resolveId(store, id));
  // Loaded here, so that the help appears faster.
  const { isUnfinishedImport, logVerifier } = await import('@varve/agent/replay');
  let verifier: LogVerifier | undefined;
  let checks: RequestCheck[] = [];
  const each = async (event: Stored): Promise<void> => {
    if (!verifier || event.seq === 0) [verifier, checks] = [await logVerifier(log), []];
    const check = await verifier.add(event);
    if (check) checks.push(check);
  };
  const verdict = await verifySeals(log, { ...requirements, each });
  const { meta } = await store.summary(log.id);
  const isUnfinished = isUnfinishedImport(meta);
  const requests = verdict.broken ? undefined : countRequests(checks, verdict);
  const { settings, snapshots } = verdict.broken
    ? { settings: [], snapshots: [] }
    : (verifier ?? (await logVerifier(log))).end(meta);
  const differing = snapshots.filter(({ state }) => state === 'differs');
  const isGood = !verdict.broken && !isUnfinished && requests?.differing.length === 0 && differing.length === 0;
  if (options.json)
    io.stdout.json({
      ...jsonOf(verdict),
      ...(isUnfinished && { unfinished: 'import' }),
      requests,
      settings,
      snapshots,
    });
  else printVerdict(io, verdict, requests);
  if (!options.json && isUnfinished) io.stdout.line(styled('red', unfinishedImport(log.id)));
  if (!options.json && differing.length > 0) printDiffering(io, differing);
  if (!options.json && settings.length > 0) printChanged(io, settings);
  const loss = await log.loss?.();
  if (loss) io.stderr.line(styled('dim', repairCommandFor(log.id, loss, io)));
  else if (verdict.broken?.reason === 'unsealed')
    io.stderr.line(styled('dim', acceptCommandFor(log.id, options.store, io)));
  return isGood ? exitCodes.ok : exitCodes.storage;
}

function requirementsOf({ trust, requireSigned, requireSeals, head }: VerifyCommandOptions): VerifyOptions {
  if (requireSigned && trust.length === 0) {
    throw new CliError(exitCodes.usage, '--require-signed has no trusted key.', 'Name the key with --trust.');
  }
  return {
    ...(trust.length > 0 && { trusted: trust, requireSigned: true }),
    ...(requireSeals && { requireSeals }),
    ...(head !== undefined && { known: { seal: head } }),
  };
}

function countRequests(checks: readonly RequestCheck[], { tombstones: [first] }: Verdict): RequestCount {
  const count = { checked: 0, older: 0, scrubbed: 0, differing: [] as number[] };
  for (const { seq, messages, tools, parameters } of checks) {
    count.checked += 1;
    if (messages === 'older-projection') count.older += 1;
    // Older logs contain no parameters.
    if (messages !== 'differs' && tools === 'same' && parameters !== 'differs') continue;
    if (first && first.seq < seq) count.scrubbed += 1;
    else count.differing.push(seq);
  }
  return count;
}

/** Converts a verdict to the fields of `--json`, where `signedEvents` is named `vouched`. */
function jsonOf({ conversation, head, sealed, seal, signedEvents: vouched, ...rest }: Verdict): object {
  return { conversation, head, sealed, seal, vouched, ...rest };
}

function printVerdict(io: TerminalIo, verdict: Verdict, requests?: RequestCount): void {
  const print = (line: Printable): void => io.stdout.line(line);
  const [first = '', ...rest] = describeVerdict(verdict);
  print(verdict.broken ? styled('red', first) : first);
  for (const line of rest) print(line);
  if (!requests) return;
  const older = requests.older > 0 ? `, ${requests.older} by an older version of varve` : '';
  const scrubbed = requests.scrubbed > 0 ? `, ${requests.scrubbed} contained what was scrubbed` : '';
  const same = requests.checked - requests.scrubbed - requests.differing.length;
  print(`${same} of ${requests.checked} model requests reproduced${older}${scrubbed}.`);
  if (requests.differing.length > 0) print(styled('red', `Different requests at: ${requests.differing.join(', ')}.`));
}

/** Prints the snapshots that are not folds of the log. */
function printDiffering(io: TerminalIo, snapshots: readonly SnapshotCheck[]): void {
  const names = snapshots.map(({ name, seq }) => `${name} of ${seq} events`).join(', ');
  io.stdout.line(styled('red', `Snapshots that differ from the log: ${names}.`));
}

/** Prints the settings next to the log that differ from the log. */
function printChanged(io: TerminalIo, settings: readonly MetaDifference[]): void {
  const names = settings.map(({ setting }) => setting).join(', ');
  io.stdout.line(styled('yellow', `Stored next to the log, and different from it: ${names}. The log applies.`));
}
