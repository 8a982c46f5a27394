import { verifyRequests } from '@varve/agent/replay';
import type { LogReader } from '@varve/storage';
import { verify as verifySeals, type Verdict } from '@varve/storage/proof';
import type { CliCommand } from '../cli-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveId } from '../setup/resolve-id.ts';
import { openExistingStore } from '../setup/open-configured-store.ts';
import { styled, type Printable } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

interface VerifyOptions {
  readonly store?: string;
  readonly trust?: readonly string[];
  readonly json?: true;
}

/** Result of comparing the recorded requests of a log with the rebuilt ones. */
interface RequestCount {
  readonly checked: number;
  /** Requests of an older version of the message projection. */
  readonly older: number;
  readonly differing: readonly number[];
}

/** Verifies the hash chain of a log and the requests built from it. */
export const verify: CliCommand = {
  register(parent, io, done) {
    parent
      .command('verify')
      .argument('<id>', 'the conversation, or the first characters of its id')
      .description('Verify the hash chain of a log and the requests built from it.')
      .option('--store <url>', 'the store, for instance sqlite:FILE')
      .option('--trust <key...>', 'trusted signing keys, such as did:key:z6Mk…; default all')
      .option('--json', 'the result as JSON')
      .action(async (id: string, { store: url, trust, json }: VerifyOptions) => {
        await using store = await openExistingStore(io, url);
        const log = await store.read(await resolveId(store, id));
        const verdict = await verifySeals(log, trust ? { trusted: trust } : {});
        const requests = verdict.broken ? undefined : await countRequests(log);
        const isGood = !verdict.broken && requests?.differing.length === 0;
        if (json) io.stdout.json({ ...jsonOf(verdict), requests });
        else printVerdict(io, verdict, requests);
        done(isGood ? exitCodes.ok : exitCodes.storage);
      });
  },
};

async function countRequests(log: LogReader): Promise<RequestCount> {
  const count = { checked: 0, older: 0, differing: [] as number[] };
  for await (const { seq, messages, tools, parameters } of verifyRequests(log)) {
    count.checked += 1;
    if (messages === 'older-projection') count.older += 1;
    // Older logs contain no parameters.
    if (messages === 'differs' || tools !== 'same' || parameters === 'differs') count.differing.push(seq);
  }
  return count;
}

/** Converts a verdict to the fields of `--json`, where `signedEvents` is named `vouched`. */
function jsonOf({ conversation, head, sealed, seal, signedEvents: vouched, ...rest }: Verdict): object {
  return { conversation, head, sealed, seal, vouched, ...rest };
}

function printVerdict(
  io: TerminalIo,
  { head, sealed, seal, broken, tombstones, cuts }: Verdict,
  requests?: RequestCount,
): void {
  const print = (line: Printable): void => io.stdout.line(line);
  if (broken) {
    print(styled('red', `Broken at event ${broken.seq}: ${broken.message}`));
    print(`The ${broken.seq} events before it match their seals.`);
    return;
  }
  print(`${head} events, ${sealed === head ? 'all' : sealed} match their seals. Last seal: ${seal}`);
  for (const { seq } of tombstones) print(`A secret was scrubbed from event ${seq}.`);
  if (cuts.length > 0) print(`Repaired ${cuts.length} times after a loss of events.`);
  if (!requests) return;
  const older = requests.older > 0 ? `, ${requests.older} by an older version of varve` : '';
  print(`${requests.checked - requests.differing.length} of ${requests.checked} requests can be rebuilt${older}.`);
  if (requests.differing.length > 0) print(styled('red', `Different requests at: ${requests.differing.join(', ')}.`));
}
