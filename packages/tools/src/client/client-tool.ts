import { text } from '@varve/events';
import { ClientToolObservation, MCPToolAction, type Payload } from '@varve/events/payloads';
import type { Tool, ToolAnnotations } from '../contract/tool.ts';
import { ToolError } from '../contract/error.ts';
import { lifetime } from '../contract/lifetime.ts';
import { clientToolSpec, type ClientToolSpec } from './client-tool-spec.ts';
import { parameterSchema } from './parameter-schema.ts';

/** The arguments of a call. */
type Arguments = Readonly<Record<string, unknown>>;

const acknowledgement =
  'The call was handed to the client, which carries it out. What comes of it is not known here; if there is something to tell, it comes in a message.';

const cautious: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/**
 * A tool that is carried out by a client: the client finds the stored call among the events, and the call is answered at once.
 * Models get the parameters exactly as they are given. Without annotations nothing good is assumed, so that people are asked.
 * Any number of conversations may have tools of one name with different parameters.
 *
 * @throws {ToolError} `unusable` when the name, the parameters or the annotations cannot be used.
 * @see software-agent-sdk openhands/sdk/tool/client_tool.py (there names are taken once per process)
 */
export function clientTool(spec: ClientToolSpec): Tool<Arguments> {
  const { name, description, parameters = { type: 'object', properties: {} }, ...rest } = clientToolSpec(spec);
  const annotations = { ...cautious, ...definedAnnotations(rest.annotations) };
  const actionKind = `ClientAction_${name}`;
  const schema = parameterSchema(name, parameters);
  const { run: running, close } = lifetime({ name });
  const parse = (input: unknown): Arguments => {
    const result = schema.safeParse(input);
    if (result.success) return result.data as Arguments;
    const reasons = result.error.issues.map(({ path, message }) =>
      [path.join('.'), message].filter(Boolean).join(': '),
    );
    throw new ToolError('invalid-input', `The arguments of ${name} are not valid. ${reasons.join('; ')}.`, {
      cause: result.error,
    });
  };
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
      running(signal, async () => ClientToolObservation.create({ content: [text(acknowledgement)] })),
    close,
  };
}

/** Every payload has a `kind`, so an argument of that name is stored under `kind_`, one of that name under `kind__`. */
const reserved = /^kind_*$/;

function asPayload(input: Arguments, kind: string): Payload {
  const renamed = Object.entries(input).map(([field, value]) => [reserved.test(field) ? `${field}_` : field, value]);
  // The same checks as for any other arguments that a log is to hold.
  const { data } = MCPToolAction.create({ data: Object.fromEntries(renamed) });
  return Object.freeze({ ...data, kind });
}

function asArguments({ kind: _kind, ...stored }: Payload): Arguments {
  return Object.fromEntries(
    Object.entries(stored).map(([field, value]) => [reserved.test(field) ? field.slice(0, -1) : field, value]),
  );
}

function definedAnnotations(annotations: ClientToolSpec['annotations'] = {}): Partial<ToolAnnotations> {
  return Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== undefined));
}
