import { LlmError, openaiChat, probeModel } from '@varve/llm';

/**
 * A process of a small heap: requests each of the addresses in its arguments, and prints the codes of the errors, those
 * of a list of models, and its greatest size in memory.
 */
const [probed = '', ...addresses] = process.argv.slice(2);
const codes: string[] = [];
for (const baseUrl of addresses) {
  const model = openaiChat({ model: 'm', baseUrl, stream: true });
  const request = { messages: [], tools: [], parameters: {} };
  const outcome = await model.generate(request, { onDelta: () => undefined }).then(
    () => 'a reply',
    (error: unknown) => (error instanceof LlmError ? error.code : String(error)),
  );
  codes.push(outcome);
}
const capabilities = await probeModel({ model: 'm', baseUrl: probed, timeoutMs: 60_000 });
const maxMegabytes = Math.round(process.resourceUsage().maxRSS / 1000);
process.stdout.write(JSON.stringify({ codes, capabilities, maxMegabytes }));
