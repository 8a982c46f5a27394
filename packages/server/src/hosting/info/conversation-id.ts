import { z } from '@hono/zod-openapi';

/** Form of UUIDs in requests: with dashes or as 32 hex digits. */
export const uuidPattern = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Id of a conversation in a body: a UUID, with dashes or as 32 hex digits; parsed to 32 lower-case hex digits. */
export const conversationIdField = z
  .stringFormat('uuid', uuidPattern)
  .transform(hexId)
  .openapi({ type: 'string', format: 'uuid' });

/** Id of a conversation in a path; parsed to 32 lower-case hex digits. */
export const conversationId = conversationIdField.openapi({ param: { name: 'conversation_id', in: 'path' } });

/** Returns true if the protocol can name this conversation: its id must be a UUID as 32 lower-case hex digits. */
export function isAddressable(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id);
}

/** Returns the form that stores use: `0123456789abcdef0123456789abcdef`. */
export function hexId(id: string): string {
  return id.replaceAll('-', '').toLowerCase();
}

/** Returns the form that JSON uses: `01234567-89ab-cdef-0123-456789abcdef`. */
export function dashedId(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
