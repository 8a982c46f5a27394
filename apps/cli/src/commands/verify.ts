import { verifyRequests } from '@varve/agent/replay';
import type { LogReader } from '@varve/storage';
import { verify as verifySeals, type Verdict } from '@varve/storage/proof';
import type { CliCommand } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveId } from '../resolve-id.ts';
import { storeFrom } from '../store-from.ts';
import { styled, type TerminalIo } from '../terminal-io.ts';

interface VerifyOptions {
  readonly store?: string;
  readonly trust?: readonly string[];
  readonly json?: true;
}

/** How many requests of a log were looked at, and how many of them can no longer be made from it. */
interface RequestCount {
  readonly checked: number;
  /** Made by an older version of what turns events into messages. */
  readonly older: number;
  readonly differing: readonly number[];
}

/** Checks that a log is what was written, and that it still gives the requests that were sent. */
export const verify: CliCommand = {
  register(parent, io, done) {
    parent
      .command('verify')
      .argument('<id>', 'the conversation, or the first characters of its id')
      .description('Check every seal of a log, and every request that was made from it.')
      .option('--store <url>', 'the store, for instance sqlite:FILE')
      .option('--trust <key...>', 'keys that are believed, such as did:key:z6Mk…; default all')
      .option('--json', 'the verdict as JSON')
      .action(async (id: string, { store: url, trust, json }: VerifyOptions) => {
        await using store = await storeFrom(io, url);
        const log = await store.read(await resolveId(store, id));
        const verdict = await verifySeals(log, trust ? { trusted: trust } : {});
        const requests = verdict.broken ? undefined : await countRequests(log);
        const isGood = !verdict.broken && requests?.differing.length === 0;
        if (json) io.stdout.write(`${JSON.stringify({ ...jsonOf(verdict), requests }, undefined, 2)}\n`);
        else tell(io, verdict, requests);
        done(isGood ? exitCodes.ok : exitCodes.storage);
      });
  },
};

async function countRequests(log: LogReader): Promise<RequestCount> {
  const count = { checked: 0, older: 0, differing: [] as number[] };
  for await (const { seq, messages, tools, parameters } of verifyRequests(log)) {
    count.checked += 1;
    if (messages === 'older-projection') count.older += 1;
    // Older logs hold no parameters.
    if (messages === 'differs' || tools !== 'same' || parameters === 'differs') count.differing.push(seq);
  }
  return count;
}

/** Converts a verdict to the fields of `--json`, where `signedEvents` is named `vouched`. */
function jsonOf({ conversation, head, sealed, seal, signedEvents: vouched, ...rest }: Verdict): object {
  return { conversation, head, sealed, seal, vouched, ...rest };
}

function tell(
  io: TerminalIo,
  { head, sealed, seal, broken, tombstones, cuts }: Verdict,
  requests?: RequestCount,
): void {
  const say = (line: string): void => void io.stdout.write(`${line}\n`);
  if (broken) {
    say(styled(io, 'red', `Broken at event ${broken.seq}: ${broken.message}`));
    say(`The ${broken.seq} events before it are as they were sealed.`);
    return;
  }
  say(`${head} events, ${sealed === head ? 'all' : sealed} as they were sealed. The last seal: ${seal}`);
  for (const { seq } of tombstones) say(`Event ${seq} was scrubbed of a secret.`);
  if (cuts.length > 0) say(`Repaired ${cuts.length} times: events were lost there.`);
  if (!requests) return;
  const older = requests.older > 0 ? `, ${requests.older} by an older version of varve` : '';
  say(`${requests.checked - requests.differing.length} of ${requests.checked} requests can be made again${older}.`);
  if (requests.differing.length > 0) say(styled(io, 'red', `They differ at: ${requests.differing.join(', ')}.`));
}
