import { deepFreeze, type BaseEvent } from '@varve/events';
import { leafKey, toolsetFact } from '@varve/events/facts';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import { statusKey } from '@varve/events/projections';
import type { Mask } from '@varve/text';
import { isCustomEvent } from './is-custom-event.ts';

type Toolset = NonNullable<ReturnType<typeof toolsetFact.read>>;

/** Fields of every event. */
const envelope = new Set(['id', 'timestamp', 'source', 'parent_id', 'kind']);

/**
 * Fields whose texts are words of the format, or name events: hiding them would make an event unreadable, or part what
 * belongs together, and hide nothing.
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

/** As {@link structural}, for lists. */
const structuralLists = new Set(['actions', 'forgotten_event_ids']);

/** Fields that hold JSON of anybody's making: no word in them is one of the format, and names in them tell as much as values. */
const foreign = new Set(['data', 'extra', 'structured_output', 'metadata', 'hook_input', 'raw_input', 'raw_output']);

/** State updates whose values are words of the format, or name events. */
const structuralKeys = new Set([statusKey, leafKey]);

/**
 * An event with every secret in it replaced; the event itself when there is none. Its structure stays as it is, and so do the
 * `toolNames`: a name that no tool has is the model's making, and may hold anything. In events of the owner's own making
 * only the envelope and the key are structure.
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
  const named = 'tool_name' in event && typeof event.tool_name === 'string' && toolNames.has(event.tool_name);
  const masked = maskFields(event, mask);
  const toolset = toolsetFact.read(event);
  if (toolset) return deepFreeze({ ...masked, value: maskToolset(toolset, mask) }) as unknown as Event;
  return deepFreeze(named ? { ...masked, tool_name: event.tool_name } : masked) as Event;
}

/** What is offered is there, so its names stay. */
function maskToolset({ digest, tools }: Toolset, mask: Mask): object {
  return { digest, tools: tools.map((tool) => ({ ...maskFields(tool, mask), name: tool.name })) };
}

function maskFields(record: object, mask: Mask): object {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      isStructure(name, value) ? value : foreign.has(name) ? maskForeign(value, mask) : maskValue(name, value, mask),
    ]),
  );
}

/** A property of a JSON schema may have any of these names, and then it is an object. */
function isStructure(name: string, value: unknown): boolean {
  if (typeof value === 'string') return structural.has(name);
  if (Array.isArray(value)) return structuralLists.has(name);
  return name === 'digests' && Object.values(value ?? {}).every((digest) => /^[0-9a-f]{64}$/.test(String(digest)));
}

function maskValue(name: string, value: unknown, mask: Mask): unknown {
  if (Array.isArray(value)) return value.map((item) => maskValue(name, item, mask));
  if (typeof value !== 'object' || value === null) return mask(value);
  // The arguments of a client tool are the fields of its action.
  if ('kind' in value && typeof value.kind === 'string' && value.kind.startsWith('ClientAction_')) {
    return maskAllBut(new Set(['kind']), value, mask);
  }
  const masked = maskFields(value, mask);
  // Calls are told from each other by the ids of their model, which their results name.
  return (name === 'tool_call' || name === 'tool_calls') && 'id' in value ? { ...masked, id: mask(value.id) } : masked;
}

function maskAllBut(kept: ReadonlySet<string>, record: object, mask: Mask): object {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, kept.has(name) ? value : maskForeign(value, mask)]),
  );
}

function maskForeign(value: unknown, mask: Mask): unknown {
  if (Array.isArray(value)) return value.map((item) => maskForeign(item, mask));
  if (typeof value !== 'object' || value === null) return mask(value);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [mask(name), maskForeign(field, mask)]));
}
