import { text } from '@varve/events';
import { ClientToolObservation, MCPToolAction, type Payload } from '@varve/events/payloads';
import { withoutUndefined } from '@varve/text';
import { cautiousAnnotations, type SharedTool, type Tool } from '../contract/tool.ts';
import { ToolError } from '../contract/error.ts';
import { lifetime } from '../contract/lifetime.ts';
import { clientToolSpec, type ClientToolSpec } from './client-tool-spec.ts';
import { argumentCheck } from './argument-check.ts';

/** Arguments of a call. */
type Arguments = Readonly<Record<string, unknown>>;

const acknowledgement =
  'The call was passed to the client, which executes it. The result is not available here; if there is one, it follows in a message.';

/**
 * Returns a tool that a client executes: the client reads the stored call from the events, and the call is answered
 * immediately with an acknowledgement. Models receive the parameters unchanged. Without annotations every hint has its
 * cautious value, so that confirmation policies ask the user. Conversations may have tools of the same name with
 * different parameters.
 *
 * @throws {ToolError} `unusable` when the name, the parameters or the annotations cannot be used.
 * @see software-agent-sdk openhands/sdk/tool/client_tool.py (in the reference a name is unique per process)
 */
export function clientTool(spec: ClientToolSpec): SharedTool<Arguments> {
  const { name, description, parameters = { type: 'object', properties: {} }, ...rest } = clientToolSpec(spec);
  const annotations = { ...cautiousAnnotations, ...withoutUndefined(rest.annotations ?? {}) };
  const actionKind = `ClientAction_${name}`;
  const parse = argumentCheck(name, parameters);
  const { run } = lifetime({ name });
  return {
    name,
    description,
    annotations,
    parameters,
    definition: {
      description,
      action_type: actionKind,
      observation_type: ClientToolObservation.kind,
      ...(rest.annotations && { annotations }),
      client_tool_name: name,
      input_schema: parameters,
      kind: 'ClientTool',
      title: annotations.title ?? name,
    },
    parse,
    toAction: (input) => asPayload(input, actionKind),
    fromAction(action) {
      if (action.kind !== actionKind)
        throw new ToolError('invalid-input', `A ${action.kind} is not an action of ${name}.`);
      return parse(asArguments(action));
    },
    effect: () => (annotations.readOnlyHint ? 'read' : annotations.idempotentHint ? 'idempotent' : 'write'),
    resources: () => [],
    execute: (_input, { signal }) =>
      run(signal, async () => ClientToolObservation.create({ content: [text(acknowledgement)] })),
  };
}

/**
 * Returns the client tools of one conversation, in the order of `specs`, which may have any form that
 * {@link clientToolSpec} parses. `otherTools` are the remaining tools of the conversation.
 *
 * @throws {ToolError} `unusable` when a spec cannot be used, or two tools have the same name.
 */
export function clientTools(specs: readonly unknown[], otherTools: readonly Tool[] = []): readonly Tool[] {
  const taken = new Set(otherTools.map(({ name }) => name));
  return specs.map((json) => {
    const spec = clientToolSpec(json);
    if (taken.has(spec.name)) throw new ToolError('unusable', `Two tools of one conversation are called ${spec.name}.`);
    taken.add(spec.name);
    return clientTool(spec);
  });
}

/** Every payload has a `kind`, so the argument `kind` is stored as `kind_`, the argument `kind_` as `kind__`. */
const reserved = /^kind_*$/;

function asPayload(input: Arguments, kind: string): Payload {
  const renamed = Object.entries(input).map(([field, value]) => [reserved.test(field) ? `${field}_` : field, value]);
  // Applies the checks that hold for all stored arguments.
  const { data } = MCPToolAction.create({ data: Object.fromEntries(renamed) });
  return Object.freeze({ ...data, kind });
}

function asArguments({ kind: _kind, ...stored }: Payload): Arguments {
  return Object.fromEntries(
    Object.entries(stored).map(([field, value]) => [reserved.test(field) ? field.slice(0, -1) : field, value]),
  );
}
