/** What git said, without user names and passwords in addresses. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/(\w+:\/\/)[^\s/@]+@/g, '$1').trim();
}
