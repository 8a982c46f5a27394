// Traces a run with a tracer of the application: runs, steps, calls of models and tools, as they are stored.
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createAgent } from '@varve/agent';
import { tracedBy } from '@varve/agent/tracing';
import { scriptedModel } from '@varve/llm/testing';
import { finish, think } from '@varve/tools';

const exporter = new InMemorySpanExporter(); // In an application: one that sends spans.
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const spans = tracedBy(provider.getTracer('my-application'));

const usage = { input_tokens: 90, output_tokens: 10 };
const model = scriptedModel([
  { calls: [{ name: 'think', arguments: { thought: 'A cache may be stale.' } }], usage },
  { calls: [{ name: 'finish', arguments: { message: 'Clear the cache.' } }], usage },
]);
await using agent = createAgent({ model, tools: [think(), finish()], spans });
console.log((await agent.run('Why is the page old?')).text);

for (const { name, attributes } of exporter.getFinishedSpans()) {
  console.log(name, attributes['gen_ai.usage.input_tokens'] ?? attributes['varve.status'] ?? '');
}
