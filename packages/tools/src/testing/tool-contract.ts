import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { deepFreeze, textOf } from '@varve/events';
import { type Observation, presentObservation } from '@varve/events/payloads';
import { redactor, type Redactor } from '@varve/text';
import type { Tool } from '../contract/tool.ts';
import { ToolError } from '../contract/error.ts';
import { openedTool, type OpenedTool } from './opened-tool.ts';
import { directoryTraces, filesIn } from './traces.ts';

/** Tool to check and its example inputs. */
export interface ToolSubject {
  /** Returns a tool: a new one if it has `close`, which each check calls. Without, it may be the same one each time. */
  readonly open: () => Tool;
  /** Returns valid inputs for a workspace: at least one, together one for each function of the tool. */
  readonly inputs: (workspace: string) => readonly unknown[];
  /** Returns an input whose call takes more than twenty seconds, for a tool that has one. */
  readonly slow?: (workspace: string) => unknown;
  /** True if the tool accepts undescribed fields, as MCP servers may. Default: false. */
  readonly isOpen?: boolean;
  /** For a tool that can show or save the output of programs: its construction with a redactor. */
  readonly masked?: {
    readonly open: (redactor: Redactor) => Tool;
    /** Returns an input whose call prints this secret, in a long output too. */
    readonly input: (secret: string) => unknown;
  };
  /** Writes the files that the inputs need to the workspace. */
  readonly prepare?: (workspace: string) => Promise<void>;
}

/** Check that every {@link Tool} must pass. */
export interface ToolCheck {
  readonly title: string;
  /** @throws {AssertionError} when the tool fails. */
  run(subject: ToolSubject): Promise<void>;
}

/** Limit on settling: far more than a tool needs, so that a busy machine passes; far less than the slow input takes. */
const settleMs = 10_000;

/** Maximum length of shown text, in UTF-16 units. */
const maxTextChars = 50_000;

/** Checks that every {@link Tool} must pass. */
export const toolContract: readonly ToolCheck[] = [
  check('has a name, a description and valid aliases', async ({ tool }) => {
    assert.match(tool.name, /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
    assert.notEqual(tool.description.trim(), '');
    for (const alias of tool.aliases ?? []) assert.match(alias, /^[a-z_]\w*$/i);
    assert.ok(!tool.aliases?.includes(tool.name), 'its name is one of its aliases');
    assert.equal(tool.definition['description'], tool.description);
  }),
  check('offers an object schema without references, in which each property is described', async ({ tool }) => {
    assert.equal(tool.parameters['type'], 'object');
    assert.ok(!JSON.stringify(tool.parameters).includes('"$ref"'), 'the schema has a $ref');
    for (const [name, property] of Object.entries(tool.parameters['properties'] ?? {})) {
      assert.ok(hasText(property?.description), `the property ${name} has no description`);
    }
  }),
  check('names its payload kinds in its definition', async ({ tool }) => {
    for (const field of ['kind', 'action_type', 'observation_type']) {
      assert.ok(hasText(tool.definition[field]), `the definition has no ${field}`);
    }
  }),
  check('requires only what it describes', async ({ tool }) => {
    const { properties = {}, required = [] } = tool.parameters;
    assert.ok(Array.isArray(required));
    for (const name of required) assert.ok(Object.hasOwn(Object(properties), name), `${name} is not described`);
  }),
  check('does not modify its arguments', async ({ tool }, { inputs }) => {
    for (const input of inputs) {
      tool.parse(deepFreeze(structuredClone(input)));
      tool.repairInput?.(deepFreeze(structuredClone({ ...asRecord(input) })));
    }
  }),
  check(
    'returns the same effect and resources each time, and no write if it is read-only',
    async ({ tool }, { inputs }) => {
      for (const input of inputs.map((raw) => tool.parse(raw))) {
        const effect = tool.effect(input);
        assert.ok(
          effect === 'read' || effect === 'idempotent' || effect === 'write',
          'the effect is not one of the three',
        );
        assert.ok(effect !== 'write' || !tool.annotations.readOnlyHint, 'it writes, but hints that it is read-only');
        const resources = tool.resources(input);
        for (const key of resources ?? []) assert.match(key, /^[^:]+:./s);
        const again = tool.fromAction(tool.toAction(input));
        assert.deepEqual([tool.effect(again), tool.resources(again)], [effect, resources]);
      }
    },
  ),
  check('accepts valid arguments after its own repair', async ({ tool }, { inputs }) => {
    for (const input of inputs) {
      const repaired = tool.repairInput?.({ ...asRecord(input) }) ?? input;
      assert.deepEqual(tool.parse(repaired), tool.parse(input));
    }
  }),
  check('rejects an unknown field with its name and without its value', async ({ tool }, { inputs, isOpen }) => {
    if (isOpen) return;
    const [input] = inputs;
    assert.throws(
      () => tool.parse({ ...asRecord(input), surprise: 'swordfish' }),
      (error) => {
        assert.ok(error instanceof ToolError && error.code === 'invalid-input');
        assert.match(error.message, /surprise/);
        assert.doesNotMatch(error.message, /swordfish/);
        return true;
      },
    );
  }),
  check('rejects arguments that are not an object', async ({ tool }) => {
    for (const input of ['text', 7, null, []]) {
      assert.throws(() => tool.parse(input), { name: 'ToolError', code: 'invalid-input' });
    }
  }),
  check('restores a stored call unchanged', async ({ tool }, { inputs }) => {
    for (const input of inputs.map((raw) => tool.parse(raw))) {
      const action = tool.toAction(input);
      assert.equal(action.kind, tool.definition['action_type']);
      const stored = 'data' in action ? asRecord(action['data']) : action;
      assert.deepEqual({ ...stored, ...asRecord(input) }, stored, 'the payload does not hold all of the input');
      assert.deepEqual(tool.fromAction(action), input);
      assert.deepEqual(tool.fromAction(JSON.parse(JSON.stringify(action))), input);
    }
  }),
  check('refuses the action of another tool', async ({ tool }) => {
    assert.throws(() => tool.fromAction({ kind: 'AnotherAction' }), { name: 'ToolError', code: 'invalid-input' });
  }),
  check('refuses a stored call with invalid fields', async ({ tool }, { inputs, isOpen }) => {
    if (isOpen) return;
    const { kind, ...fields } = tool.toAction(tool.parse(inputs[0]));
    const spoilt = {
      ...fields,
      surprise: 1,
      ...('data' in fields && { data: { ...asRecord(fields['data']), surprise: 1 } }),
    };
    assert.throws(() => tool.fromAction({ ...spoilt, kind }), { name: 'ToolError', code: 'invalid-input' });
  }),
  check('returns content for the model', async ({ tool, call }, { inputs }) => {
    for (const input of inputs) {
      const observation = await call(input);
      assert.equal(observation.kind, tool.definition['observation_type']);
      assert.equal(observation['tool_name'] ?? tool.name, tool.name);
      const content = presentObservation(observation);
      const hasImage = content.some(({ type }) => type === 'image');
      assert.ok(hasImage || hasText(textOf(content)), 'the observation shows nothing');
    }
  }),
  check('shows the model no more than 50 000 characters', async ({ call }, { inputs }) => {
    for (const input of inputs) {
      const text = textOf(presentObservation(await call(input)));
      assert.ok(text.length <= maxTextChars, `it shows ${text.length} characters`);
    }
  }),
  check('does not change the workspace if its effect is read', async ({ tool, call, workspace }, { inputs }) => {
    for (const input of inputs) {
      const before = await directoryTraces(workspace);
      await call(input);
      if (tool.effect(tool.parse(input)) === 'read') assert.deepEqual(await directoryTraces(workspace), before);
    }
  }),
  {
    title: "does not show credentials of its host's environment",
    async run(subject) {
      const [name, secret] = ['VARVE_CONTRACT_API_KEY', 'swordfish-of-the-host'];
      process.env[name] = secret;
      try {
        await check('', async ({ call, workspace }, { inputs }) => {
          for (const input of inputs) await assertHidden(await call(input), workspace, secret);
        }).run(subject);
      } finally {
        delete process.env[name];
      }
    },
  },
  {
    title: 'does not show or save a secret that its redactor hides',
    async run({ masked, prepare }) {
      if (masked === undefined) return;
      const secret = 'swordfish of the conversation';
      await using opened = await openedTool(masked.open(redactor([secret], { replacement: '<secret-hidden>' })));
      await prepare?.(opened.workspace);
      const observation = await opened.call(masked.input(secret));
      await assertHidden(observation, opened.workspace, secret);
      const kept = observation['full_output_save_dir'];
      if (typeof kept === 'string') await assertHidden(observation, kept, secret);
    },
  },
  check('does not start a cancelled call', async ({ call }, { inputs }) => {
    await assert.rejects(call(inputs[0], { signal: AbortSignal.abort() }), { name: 'ToolError', code: 'aborted' });
  }),
  check('settles soon after its signal aborts', async ({ call, workspace }, { inputs, slow }) => {
    const input = slow === undefined ? inputs[0] : slow(workspace);
    // Before the first call, and again when the state between calls exists.
    await callAndCancel(call, input);
    await call(inputs[0]);
    await callAndCancel(call, input);
  }),
  check('can be closed more than once, and runs nothing afterwards', async ({ tool, call }, { inputs }) => {
    if (!tool.close) return;
    await call(inputs[0]);
    await Promise.all([tool.close(), tool.close()]);
    await tool.close();
    await assert.rejects(call(inputs[0]), { name: 'ToolError', code: 'closed' });
  }),
  checkTwo('serves a conversation after another one has ended', async (first, next) => {
    await first.call();
    await first.end();
    await next.call();
  }),
  checkTwo('serves two conversations at a time', async (first, next) => {
    await Promise.all([first.call(), next.call()]);
    await first.end();
    await next.call();
  }),
  checkTwo('serves a conversation during which another one begins and ends', async (outer, inner) => {
    await outer.call();
    await inner.call();
    await inner.end();
    await outer.call();
  }),
  checkTwo('serves both parts of a conversation that was forked', async (origin, fork) => {
    await origin.call();
    await fork.call();
    await Promise.all([origin.call(), fork.call()]);
    await fork.end();
    await origin.call();
  }),
];

interface Inputs {
  readonly inputs: readonly unknown[];
  readonly slow: ToolSubject['slow'];
  readonly isOpen: boolean;
}

function check(title: string, verify: (opened: OpenedTool, inputs: Inputs) => Promise<void>): ToolCheck {
  return {
    title,
    async run({ open, inputs, slow, prepare, isOpen = false }) {
      await using opened = await openedTool(open());
      await prepare?.(opened.workspace);
      await verify(opened, { inputs: inputs(opened.workspace), slow, isOpen });
    },
  };
}

/** One of two conversations that have a tool of the same origin. */
interface Participant {
  /** Executes the first input in the workspace of the conversation. */
  readonly call: () => Promise<Observation>;
  /** Closes what the conversation owns. */
  readonly end: () => Promise<void>;
}

function checkTwo(title: string, verify: (one: Participant, other: Participant) => Promise<void>): ToolCheck {
  return {
    title,
    async run({ open, inputs, prepare }) {
      const [one, other] = [open(), open()];
      assert.ok(!one.close || one !== other, 'a tool that one conversation closes is another one for each');
      await using first = await openedTool(one);
      await using second = await openedTool(other);
      const participant = async ({ tool, call, workspace }: OpenedTool): Promise<Participant> => {
        await prepare?.(workspace);
        return { call: () => call(inputs(workspace)[0]), end: async () => tool.close?.() };
      };
      await verify(await participant(first), await participant(second));
    },
  };
}

/** Asserts that neither an observation nor a file in a directory contains the secret. */
async function assertHidden(observation: Observation, directory: string, secret: string): Promise<void> {
  assert.ok(!JSON.stringify(observation).includes(secret), 'the observation has the secret');
  for (const [name, bytes] of await filesIn(directory))
    assert.ok(!bytes.includes(secret), `the file ${name} has the secret`);
}

async function callAndCancel(call: OpenedTool['call'], input: unknown): Promise<void> {
  const controller = new AbortController();
  const settled = call(input, { signal: controller.signal }).catch((error: unknown) => {
    assert.ok(error instanceof ToolError && error.code === 'aborted', `it failed with ${String(error)}`);
  });
  controller.abort();
  const late = sleep(settleMs, undefined, { ref: false }).then(() =>
    assert.fail(`It took more than ${settleMs} ms to settle.`),
  );
  await Promise.race([settled, late]);
}

function asRecord(input: unknown): object {
  return typeof input === 'object' && input !== null ? input : {};
}

function hasText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
