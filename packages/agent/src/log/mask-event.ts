import { type BaseEvent, deepFreeze } from '@varve/events';
import { builtinKinds, ConversationStateUpdateEvent } from '@varve/events/kinds';
import { leafKey, toolsetFact } from '@varve/events/facts';
import { statusKey } from '@varve/events/projections';
import type { ModelParameters, ToolSpec } from '@varve/llm';
import { mapStrings, type Mask } from '@varve/text';
/** Fields of every event. */
const envelope = new Set(['id', 'timestamp', 'source', 'parent_id', 'kind']);

/**
 * Fields whose strings are words of the event format or ids of events. Masking them would make an event unreadable or
 * break a reference, and hide nothing.
 */
const structural = new Set([
  ...envelope,
  'key',
  'role',
  'type',
  'origin',
  'status',
  'security_risk',
  'action_id',
  'message_id',
  'idempotency_key',
  'digest',
]);

/** Fields as in {@link structural} whose values are lists. */
const structuralLists = new Set(['actions', 'forgotten_event_ids']);

/** Fields of free-form JSON: no word in it belongs to the event format, and its property names are data. */
const freeForm = new Set(['data', 'extra', 'structured_output', 'metadata', 'hook_input', 'raw_input', 'raw_output']);

/** Keys of state updates whose values are words of the event format or ids of events. */
const structuralKeys = new Set([statusKey, leafKey]);

/**
 * Masks the secrets in an event; returns the same event if it contains none. Structure is not changed, nor are
 * `toolNames`: a name that no tool has was made up by the model and may contain anything. In custom events only the
 * envelope and the key are structure.
 */
export function maskEvent<Event extends BaseEvent>(
  event: Event,
  mask: Mask,
  toolNames: Pick<ReadonlySet<string>, 'has'> = new Set(),
): Event {
  if (mask(event) === event) return event;
  const isUpdate = ConversationStateUpdateEvent.is(event);
  if (isUpdate && structuralKeys.has(event.key)) return event;
  if (isCustomEvent(event)) {
    return deepFreeze(maskAllBut(isUpdate ? new Set([...envelope, 'key']) : envelope, event, mask)) as Event;
  }
  const hasToolName = 'tool_name' in event && typeof event.tool_name === 'string' && toolNames.has(event.tool_name);
  const masked = maskFields(event, mask);
  const toolset = toolsetFact.read(event);
  if (toolset) {
    const value = { digest: toolset.digest, tools: maskTools(toolset.tools, mask) };
    const whole: object = { ...masked, value };
    return deepFreeze(whole) as Event;
  }
  return deepFreeze(hasToolName ? { ...masked, tool_name: event.tool_name } : masked) as Event;
}

/** Masks the tools of a request as the log contains them. Their names stay, as these tools exist. */
export function maskTools(tools: readonly ToolSpec[], mask: Mask): ToolSpec[] {
  return tools.map(({ name, description, parameters }) => ({
    name,
    ...(maskFields({ description, parameters }, mask) as Omit<ToolSpec, 'name'>),
  }));
}

/** Masks the parameters of a request as the log contains them. */
export function maskParameters(parameters: ModelParameters, mask: Mask): ModelParameters {
  return maskValue('parameters', parameters, mask) as ModelParameters;
}

function maskFields(record: object, mask: Mask): object {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      isStructure(name, value) ? value : freeForm.has(name) ? maskAll(value, mask) : maskValue(name, value, mask),
    ]),
  );
}

/** A property of a JSON schema may have any of these names, and then its value is an object. */
function isStructure(name: string, value: unknown): boolean {
  if (typeof value === 'string') return structural.has(name);
  if (Array.isArray(value)) return structuralLists.has(name);
  return name === 'digests' && Object.values(value ?? {}).every(isDigest);
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function maskValue(name: string, value: unknown, mask: Mask): unknown {
  if (Array.isArray(value)) return value.map((item) => maskValue(name, item, mask));
  if (typeof value !== 'object' || value === null) return mask(value);
  // The arguments of a client tool are the fields of its action.
  if ('kind' in value && typeof value.kind === 'string' && value.kind.startsWith('ClientAction_')) {
    return maskAllBut(new Set(['kind']), value, mask);
  }
  const masked = maskFields(value, mask);
  // The model chose the ids of its calls, and results refer to them.
  return (name === 'tool_call' || name === 'tool_calls') && 'id' in value ? { ...masked, id: mask(value.id) } : masked;
}

function maskAllBut(kept: ReadonlySet<string>, record: object, mask: Mask): object {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, kept.has(name) ? value : maskAll(value, mask)]),
  );
}

/** Masks every string and every property name. */
function maskAll(value: unknown, mask: Mask): unknown {
  return mapStrings(value, mask<string>, mask<string>);
}

const builtin = new Set<string>(builtinKinds.map(({ kind }) => kind));

/** Key of a custom fact, for example `varve.acme.rating`. Facts of varve have one dot. */
const customFact = /^varve\.[^.]+\../;

/** Reports whether the kind, or the fact, of an event is defined by the application and not by varve. */
export function isCustomEvent(event: BaseEvent): boolean {
  return !builtin.has(event.kind) || (ConversationStateUpdateEvent.is(event) && customFact.test(event.key));
}
