/**
 * Returns commands to type after the demo, each with a description. In a clone, whose commands are the longest, each
 * row fits into 80 columns.
 *
 * @param where Options that name the store; empty for the default store.
 */
export function nextSteps(
  varve: string,
  shortId: string,
  where: string,
): readonly (readonly [command: string, what: string])[] {
  return [
    [`${varve} show ${shortId}${where}`, 'show it again'],
    [`${varve} show ${shortId}${where} --json`, 'every event as JSON'],
    [`${varve} show ${shortId}${where} --messages`, 'the next request'],
    [`${varve} ls${where}`, 'every conversation'],
    [`OPENAI_API_KEY=… ${varve} run -w DIR "…"`, 'with a real model'],
  ];
}
