import { readEvents, readRequest, readState } from '@varve/agent';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { defaultTools } from '@varve/tools';
import type { CliCommand } from '../cli-command.ts';
import { shownLine } from '../run/event-printer.ts';
import { exitCodes } from '../exit-codes.ts';
import { eventFormatter } from '../terminal/event-formatter.ts';
import { usageText } from '../run/progress.ts';
import { resolveId } from '../setup/resolve-id.ts';
import { openConfiguredStore } from '../setup/open-configured-store.ts';
import { styled } from '../terminal/output.ts';

interface ShowOptions {
  readonly store?: string;
  readonly json?: true;
  readonly messages?: true;
}

/** Shows one conversation: formatted, as stored, or as the next model request. */
export const show: CliCommand = {
  register(parent, io, done) {
    parent
      .command('show')
      .argument('<id>', 'the conversation, or the first characters of its id')
      .description('Show a conversation.')
      .option('--store <url>', 'the store, for instance sqlite:FILE')
      .option('--json', 'one event per line, exactly as stored')
      .option('--messages', 'the next model request, as JSON')
      .action(async (id: string, options: ShowOptions) => {
        await using store = await openConfiguredStore(io, options.store);
        const log = await store.read(await resolveId(store, id));
        if (options.messages) {
          const request = await readRequest(log, { tools: () => defaultTools(), parameters: {} });
          io.stdout.json(request);
        } else if (options.json) {
          for await (const { text } of log.range(0)) io.stdout.jsonLine(text);
        } else {
          const format = eventFormatter();
          for await (const { event } of readEvents(log.range(0), eventCodec(builtinKinds))) {
            for (const line of format(event)) io.stdout.text(shownLine(line));
          }
          const { status, stats, head } = await readState(log);
          const loss = await log.loss?.();
          if (loss) io.stderr.line(styled('red', `Incomplete: ${loss.message}`));
          io.stderr.line(styled('dim', `${status} · ${head} events · ${usageText(stats.total)}`));
        }
        done(exitCodes.ok);
      });
  },
};
