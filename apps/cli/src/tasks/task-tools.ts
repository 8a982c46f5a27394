import { setTimeout } from 'node:timers/promises';
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { failureText } from '../home/describe-failure.ts';
import type { TaskRun } from './task-run.ts';
import type { TaskRuns } from './task-runs.ts';

const id = z.string().describe('Id of a conversation, or its first characters.');
const wait_seconds = z
  .number()
  .min(0)
  .max(600)
  .default(30)
  .describe('Seconds to wait for the end of the run; then the status is `running`.');
const note = 'The result has its status; `waiting` lists calls that need approval, with their digest.';

/** Adds the tools that change nothing outside of conversations. */
export function addReadingTools(server: McpServer, runs: TaskRuns): void {
  const annotations = { readOnlyHint: true, openWorldHint: false };
  const limits = {
    workspace: z.string().optional().describe('Only those of this directory.'),
    search: z.string().optional().describe('Text in title, directory, model or id.'),
    limit: z.number().int().min(1).max(500).default(50),
  };
  server.registerTool(
    'task_status',
    {
      description: `Waits for the end of the run of a task. ${note}`,
      inputSchema: z.object({ id, wait_seconds }),
      annotations,
    },
    async ({ id: typedId, wait_seconds: seconds }, context) =>
      answered(runs, async () => {
        const run = await runs.find(typedId);
        return run ? ended(run, seconds, context) : runs.stored(typedId);
      }),
  );
  const position = {
    from: z.number().int().min(0).default(0).describe('Number of the first event.'),
    limit: z.number().int().min(1).max(1000).default(200).describe('Number of events.'),
  };
  server.registerTool(
    'read_log',
    {
      description: 'Reads events of a conversation as text; `next` is the number after them.',
      inputSchema: z.object({ id, ...position }),
      annotations,
    },
    async ({ id: typedId, from, limit }) => answered(runs, () => runs.log(typedId, from, limit)),
  );
  server.registerTool(
    'list_conversations',
    {
      description: 'Lists conversations, the most recently updated first.',
      inputSchema: z.object(limits),
      annotations,
    },
    async (query) => answered(runs, async () => ({ conversations: await runs.list(query) })),
  );
}

/** Adds the tools that run the agent. */
export function addRunningTools(server: McpServer, runs: TaskRuns): void {
  const task = {
    task: z.string().min(1).describe('What the agent should do.'),
    workspace: z.string().optional().describe('Absolute path of the directory of the agent.'),
    max_steps: z.number().int().positive().optional().describe('Ends the run after this many steps.'),
  };
  server.registerTool(
    'start_task',
    {
      description: `Starts a coding agent on a task in a directory, in a new conversation. ${note}`,
      inputSchema: z.object({ ...task, wait_seconds }),
    },
    async ({ task: text, workspace, max_steps: maxSteps, wait_seconds: seconds }, context) =>
      answered(runs, async () => {
        const options = { ...(workspace !== undefined && { workspace }), ...(maxSteps !== undefined && { maxSteps }) };
        return ended(await runs.start(text, options), seconds, context);
      }),
  );
  const message = z.string().min(1).optional().describe('Message for the agent; it rejects calls that wait.');
  server.registerTool(
    'continue_task',
    {
      description: `Continues a conversation, with a message or where it stopped. ${note}`,
      inputSchema: z.object({ id, message, wait_seconds }),
    },
    async ({ id: typedId, message: text, wait_seconds: seconds }, context) =>
      answered(runs, async () => ended(await runs.resume(typedId, text), seconds, context)),
  );
  server.registerTool(
    'stop_task',
    { description: 'Interrupts the run of a task that this server started.', inputSchema: z.object({ id }) },
    async ({ id: typedId }) => answered(runs, async () => (await runs.stop(typedId)).report),
  );
}

/** Adds the tools that decide about calls that wait. */
export function addApprovalTools(server: McpServer, runs: TaskRuns): void {
  const digest = z.string().describe('Digest of the calls that were shown as waiting: no others are approved.');
  server.registerTool(
    'approve_calls',
    {
      description: `Approves the calls that wait, and continues. Ask the user first. ${note}`,
      inputSchema: z.object({ id, digest, wait_seconds }),
      annotations: { destructiveHint: true },
    },
    async ({ id: typedId, digest: seenDigest, wait_seconds: seconds }, context) =>
      answered(runs, async () =>
        ended(await runs.decide(typedId, { digest: seenDigest, by: 'mcp' }), seconds, context),
      ),
  );
  const reason = z.string().min(1).describe('Why; the agent reads it.');
  server.registerTool(
    'reject_calls',
    {
      description: `Rejects the calls that wait, and continues. ${note}`,
      inputSchema: z.object({ id, reason, wait_seconds }),
    },
    async ({ id: typedId, reason: why, wait_seconds: seconds }, context) =>
      answered(runs, async () => ended(await runs.decide(typedId, { reject: why }), seconds, context)),
  );
}

/** Waits for the end of a run, and sends what happens as progress if the client follows it. */
async function ended(run: TaskRun, seconds: number, { mcpReq }: ServerContext) {
  const waiting = new AbortController();
  const signal = AbortSignal.any([waiting.signal, mcpReq.signal]);
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  let progress = 0;
  if (progressToken !== undefined) {
    run.follow((message) => {
      progress += 1;
      const params = { progressToken, progress, message };
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    }, signal);
  }
  const late = setTimeout(seconds * 1000, undefined, { signal, ref: false }).catch(() => undefined);
  await Promise.race([run.ended, late]);
  waiting.abort();
  return run.report;
}

/** Returns a result as text and as data, or a failure that a person can fix as a result that is an error. */
async function answered({ io }: TaskRuns, answer: () => Promise<object>): Promise<CallToolResult> {
  try {
    const result = { ...(await answer()) };
    return { content: [{ type: 'text', text: JSON.stringify(result, undefined, 2) }], structuredContent: result };
  } catch (error) {
    return { content: [{ type: 'text', text: failureText(error, io) }], isError: true };
  }
}
