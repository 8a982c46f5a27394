/** The relative links of a Markdown text without their anchors; links in code and external links are skipped. */
export function relativeLinks(markdown: string): readonly string[] {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target.replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
}
