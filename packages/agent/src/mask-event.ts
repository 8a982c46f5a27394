import { deepFreeze, type BaseEvent } from '@varve/events';
import type { Mask } from '@varve/tools';

/** Fields whose values are words of the format: hiding them would make an event unreadable and hide nothing. */
const structural = new Set([
  'id',
  'timestamp',
  'source',
  'parent_id',
  'kind',
  'key',
  'role',
  'type',
  'origin',
  'status',
  'security_risk',
  'action_id',
]);

/** Fields that hold JSON of anybody's making: no word in them is one of the format, and names in them tell as much as values. */
const foreign = new Set(['data', 'extra', 'structured_output', 'metadata', 'hook_input', 'raw_input', 'raw_output']);

/**
 * An event with every secret in it replaced; the event itself when there is none. Its structure stays as it is, and so do the
 * `toolNames`: a name that no tool has is the model's making, and may hold anything.
 */
export function maskEvent<Event extends BaseEvent>(
  event: Event,
  mask: Mask,
  toolNames: Pick<ReadonlySet<string>, 'has'> = new Set(),
): Event {
  if (mask(event) === event) return event;
  const named = 'tool_name' in event && typeof event.tool_name === 'string' && toolNames.has(event.tool_name);
  const masked = maskFields(event, mask);
  return deepFreeze(named ? { ...masked, tool_name: event.tool_name } : masked) as Event;
}

function maskFields(record: object, mask: Mask): object {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      structural.has(name) && typeof value === 'string'
        ? value
        : foreign.has(name)
          ? maskForeign(value, mask)
          : maskValue(value, mask),
    ]),
  );
}

function maskValue(value: unknown, mask: Mask): unknown {
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask));
  return typeof value === 'object' && value !== null ? maskFields(value, mask) : mask(value);
}

function maskForeign(value: unknown, mask: Mask): unknown {
  if (Array.isArray(value)) return value.map((item) => maskForeign(item, mask));
  if (typeof value !== 'object' || value === null) return mask(value);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [mask(name), maskForeign(field, mask)]));
}
