// Reads events from the JSON lines of a log and shows the messages that a model would receive.
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { foldEvents, messageBuilder, viewProjection } from '@varve/events/projections';

const lines = [
  '{"id":"00000001","timestamp":"2026-01-01T12:00:00.000001","source":"user","llm_message":{"role":"user","content":[{"cache_prompt":false,"type":"text","text":"What is in this directory?"}],"thinking_blocks":[]},"activated_skills":[],"extended_content":[],"kind":"MessageEvent"}',
  '{"id":"00000002","timestamp":"2026-01-01T12:00:01.000000","source":"agent","parent_id":"00000001","thought":[],"thinking_blocks":[],"action":{"command":"ls","is_input":false,"reset":false,"kind":"TerminalAction"},"tool_name":"terminal","tool_call_id":"call_1","tool_call":{"id":"call_1","name":"terminal","arguments":"{\\"command\\": \\"ls\\"}","origin":"completion"},"llm_response_id":"reply_1","security_risk":"LOW","kind":"ActionEvent"}',
  '{"id":"00000003","kind":"EventFromTheFuture","source":"agent","timestamp":"2031-01-01T12:00:01.000000","payload":42}',
];

const codec = eventCodec(builtinKinds);
const events = lines.map((line) => codec.read(line));
for (const event of events) console.log(event.kind, event.kind === 'OpaqueEvent' ? `(${event.wireKind})` : '');

// The call has no result yet: the request has a synthetic one, because strict providers reject calls without results.
for (const message of messageBuilder(codec)(foldEvents(viewProjection(codec), events).events)) {
  const calls = message.tool_calls?.map((call) => `${call.name} ${call.arguments}`) ?? [];
  console.log(
    `${message.role}:`,
    ...calls,
    ...message.content.map((block) => (block.type === 'text' ? block.text : '[image]')),
  );
}
