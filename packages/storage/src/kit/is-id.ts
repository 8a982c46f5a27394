const pattern = /^[0-9A-Za-z_-]{1,64}$/;

/** Whether an id may be that of a conversation. */
export function isId(id: string): boolean {
  return typeof id === 'string' && pattern.test(id);
}
