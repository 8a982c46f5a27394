import { Readable } from 'node:stream';
import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type AgentApp,
  type InitializeResponse,
} from '@agentclientprotocol/sdk';
import { appVersion } from '../home/app-file.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { onInterrupt } from '../terminal/signals.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { answerOrFailure } from './editor-errors.ts';
import { EditorSessions } from './editor-sessions.ts';

async function description(sessions: EditorSessions): Promise<InitializeResponse> {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'varve', version: appVersion() },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: await sessions.promptCapabilities(),
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    },
  };
}

/** Serves an editor on standard input and output until it closes them. */
export async function serveEditor(options: RunOptions, io: TerminalIo): Promise<void> {
  using ending = new DisposableStack();
  await using sessions = new EditorSessions(options, io);
  const output = new WritableStream<Uint8Array>({
    write: (bytes) => io.stdout.jsonLine(new TextDecoder().decode(bytes).trimEnd()),
  });
  const input = Readable.toWeb(Readable.from(io.stdin)) as ReadableStream<Uint8Array>;
  const connection = agentOf(sessions).connect(ndJsonStream(output, input));
  onInterrupt({ pause: () => connection.close(), stop: () => connection.close() }, ending);
  await connection.closed;
}

function agentOf(sessions: EditorSessions): AgentApp {
  const { session } = methods.agent;
  const reported = async <T>(answer: () => Promise<T>): Promise<T> => answerOrFailure(sessions.io, answer);
  return agent({ name: 'varve' })
    .onRequest(methods.agent.initialize, async () => reported(async () => description(sessions)))
    .onRequest(session.new, async ({ params, client }) => reported(async () => sessions.create(params, client)))
    .onRequest(session.load, async ({ params, client }) => reported(async () => sessions.load(params, client)))
    .onRequest(session.resume, async ({ params, client }) => reported(async () => sessions.resume(params, client)))
    .onRequest(session.list, async ({ params }) => reported(async () => sessions.list(params.cwd ?? undefined)))
    .onRequest(session.close, async ({ params }) => reported(async () => sessions.close(params.sessionId)))
    .onRequest(session.delete, async ({ params }) => reported(async () => sessions.delete(params.sessionId)))
    .onRequest(session.setConfigOption, async ({ params }) => reported(async () => sessions.setOption(params)))
    .onRequest(session.setMode, async ({ params }) =>
      reported(async () => sessions.find(params.sessionId).setMode(params.modeId)),
    )
    .onRequest(session.prompt, async ({ params, signal }) => reported(async () => sessions.prompt(params, signal)))
    .onNotification(session.cancel, ({ params }) => sessions.find(params.sessionId).cancel());
}
