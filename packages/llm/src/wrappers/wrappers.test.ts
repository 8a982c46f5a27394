import { describe, test } from 'vitest';
import type { LanguageModel } from '../language-model.ts';
import { openaiChat } from '../chat/openai-chat.ts';
import { languageModelContract, scriptedModel, scriptedServer } from '../testing/index.ts';
import type { CassetteEntry } from './cassette.ts';
import { explainFailures } from './explain-failures.ts';
import { limitCalls } from './limit-calls.ts';
import { meterCalls } from './meter-calls.ts';
import { omitReasoning } from './omit-reasoning.ts';
import { recordCalls } from './record-calls.ts';
import { cassetteModel } from './cassette-model.ts';
import { routeCalls } from './route-calls.ts';
import type { OpenModel } from '../testing/contract/model-check.ts';

const wrapping =
  (wrap: (model: LanguageModel) => LanguageModel): OpenModel =>
  async (steps) => {
    const server = await scriptedServer(steps);
    const model = openaiChat({ model: 'scripted', baseUrl: server.url });
    return { model: wrap(model), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };

/** Records each call, and returns the recorded entry to the caller. */
const replaying: OpenModel = async (steps) => {
  const opened = await wrapping((model) => model)(steps);
  const { spec } = cassetteModel([]);
  const generate: LanguageModel['generate'] = async (request, options = {}) => {
    const entries: CassetteEntry[] = [];
    const live = recordCalls({ record: (entry) => void entries.push(entry) })(opened.model);
    const silent = { ...options, ...(options.onDelta && { onDelta: () => undefined }) };
    await live.generate(request, silent).catch((error: unknown) => {
      if (entries.length === 0) throw error;
    });
    return cassetteModel(JSON.parse(JSON.stringify(entries)) as CassetteEntry[]).generate(request, options);
  };
  return { ...opened, model: { ...opened.model, spec, generate } };
};

/** Rejects every request, so that it is sent to the next model. */
const tooSmall = scriptedModel([], { capabilities: { contextWindow: 0 } });

/** Every wrapper: add its line here. */
const models: Readonly<Record<string, OpenModel>> = {
  explained: wrapping(explainFailures(() => 'The proxy is http://127.0.0.1:9.')),
  limited: wrapping(limitCalls({ concurrency: 3, requests: 1000 })),
  metered: wrapping(meterCalls()),
  'without reasoning': wrapping(omitReasoning()),
  recorded: wrapping(recordCalls({ record: () => undefined })),
  'routed, to the first': wrapping((model) => routeCalls([model])),
  'routed, to the second': wrapping((model) => routeCalls([tooSmall, model])),
  'routed, tried twice': wrapping((model) => routeCalls([model, model])),
};

describe('cassetteModel', () => {
  const checks = languageModelContract.filter(({ needs }) => needs !== 'live');
  test.for(checks)('$title', (check) => check.run(replaying));
});

describe.for(Object.entries(models))('%s', ([, open]) => {
  test.for(languageModelContract)('$title', (check) => check.run(open));
});
