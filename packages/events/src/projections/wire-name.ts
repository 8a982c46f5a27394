/** What providers take for the name of a function. */
const legalName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Whether a strict provider takes this as the name of a called tool. */
export function isLegalName(name: string): boolean {
  return legalName.test(name);
}

/**
 * The name of a called tool as a strict provider takes it. Models now and then call tools by names that nobody could offer;
 * such a name, sent back as it is, would make the provider reject every later request.
 */
export function wireName(name: string): string {
  if (isLegalName(name)) return name;
  return name.slice(0, 64).replaceAll(/[^a-zA-Z0-9_-]/g, '_') || 'unknown';
}
