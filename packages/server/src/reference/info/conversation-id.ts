import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { canonicalId } from '@varve/storage';
import { isId } from '@varve/storage/kit';

/** Form of UUIDs in requests: with dashes or as 32 hex digits. */
export const uuidPattern = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Ids that are names of routes: `/api/conversations/search` is no conversation. */
const namesOfRoutes = new Set(['search', 'count', 'prepare-for-sandbox-pause']);

/** Id of a conversation in a request; parsed to the form that stores use. */
export const conversationIdField = lazy(() =>
  z
    .string()
    .refine(isConversationId, {
      message: 'An id has 1 to 64 letters, digits, hyphens and underscores, and is no name of a route.',
    })
    .transform(canonicalId)
    .openapi({ type: 'string' }),
);

/** Id of a conversation in a path; parsed to the form that stores use. */
export const conversationId = lazy(() =>
  conversationIdField().openapi({ param: { name: 'conversation_id', in: 'path' } }),
);

/** Returns true if the protocol can name this conversation: its id is one that a request leads to. */
export function isAddressable(id: string): boolean {
  return isConversationId(id) && canonicalId(id) === id;
}

/** Returns true if a request may name a conversation by this text. */
export function isConversationId(id: string): boolean {
  return isId(id) && !namesOfRoutes.has(id);
}

/** Returns the form that JSON uses for a UUID: `01234567-89ab-cdef-0123-456789abcdef`; any other id unchanged. */
export function dashedId(id: string): string {
  return id.replace(/^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/, '$1-$2-$3-$4-$5');
}
