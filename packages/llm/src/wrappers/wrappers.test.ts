import { describe, test } from 'vitest';
import type { LanguageModel } from '../language-model.ts';
import { openaiChat } from '../chat/openai-chat.ts';
import { languageModelContract, scriptedModel, scriptedServer, type OpenModel } from '../testing/index.ts';
import type { CassetteEntry } from './cassette.ts';
import { inlinedImages } from './inlined-images.ts';
import { limited } from './limited.ts';
import { metered } from './metered.ts';
import { recorded } from './recorded.ts';
import { replayed } from './replayed.ts';
import { routed } from './routed.ts';

const wrapping =
  (wrap: (model: LanguageModel) => LanguageModel): OpenModel =>
  async (steps) => {
    const server = await scriptedServer(steps);
    const model = openaiChat({ model: 'scripted', baseUrl: server.url });
    return { model: wrap(model), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };

/** Records each call, and gives its caller what the record says. */
const replaying: OpenModel = async (steps) => {
  const opened = await wrapping((model) => model)(steps);
  const { spec } = replayed([]);
  const generate: LanguageModel['generate'] = async (request, options = {}) => {
    const entries: CassetteEntry[] = [];
    const live = recorded({ record: (entry) => void entries.push(entry) })(opened.model);
    const silent = { ...options, ...(options.onDelta && { onDelta: () => undefined }) };
    await live.generate(request, silent).catch((error: unknown) => {
      if (entries.length === 0) throw error;
    });
    return replayed(JSON.parse(JSON.stringify(entries)) as CassetteEntry[]).generate(request, options);
  };
  return { ...opened, model: { ...opened.model, spec, generate } };
};

/** Takes no request at all, so that each goes on to the next. */
const tooSmall = scriptedModel([], { capabilities: { contextWindow: 0 } });

/** Every wrapper: add its line here. */
const models: Readonly<Record<string, OpenModel>> = {
  limited: wrapping(limited({ concurrency: 3, requests: 1000 })),
  inlinedImages: wrapping(inlinedImages({ when: 'always' })),
  metered: wrapping(metered()),
  recorded: wrapping(recorded({ record: () => undefined })),
  'routed, to the first': wrapping((model) => routed([model])),
  'routed, to the second': wrapping((model) => routed([tooSmall, model])),
  'routed, tried twice': wrapping((model) => routed([model, model])),
};

describe('replayed', () => {
  const checks = languageModelContract.filter(({ needs }) => needs !== 'live');
  test.for(checks)('$title', (check) => check.run(replaying));
});

describe.for(Object.entries(models))('%s', ([, open]) => {
  test.for(languageModelContract)('$title', (check) => check.run(open));
});
