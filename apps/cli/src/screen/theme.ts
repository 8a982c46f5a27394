import { styleText } from 'node:util';
import type { EditorTheme, MarkdownTheme, SelectListTheme } from '@earendil-works/pi-tui';
import type { codeRows } from '../terminal/highlight.ts';
import type { Style } from '../terminal/output.ts';

/** Styles of the session; without colours every text stays as it is. */
export interface Theme {
  readonly paint: (style: Style | 'italic' | 'underline', text: string) => string;
  readonly markdown: MarkdownTheme;
  readonly editor: EditorTheme;
  readonly list: SelectListTheme;
}

/** Creates the styles of a session. Calls back when code that was drawn without colours can have them. */
export function themeOf(hasColours: boolean, onHighlighted: () => void): Theme {
  const paint: Theme['paint'] = (style, text) =>
    hasColours && text !== '' ? styleText(style, text, { validateStream: false }) : text;
  const painter = (style: Style | 'italic' | 'underline') => (text: string) => paint(style, text);
  const list: SelectListTheme = {
    selectedPrefix: painter('cyan'),
    selectedText: painter('bold'),
    description: painter('dim'),
    scrollInfo: painter('dim'),
    noMatch: painter('yellow'),
  };
  return {
    paint,
    list,
    editor: { borderColor: painter('dim'), selectList: list },
    markdown: {
      heading: painter('bold'),
      link: painter('underline'),
      linkUrl: painter('dim'),
      code: painter('cyan'),
      codeBlock: plain,
      codeBlockBorder: painter('dim'),
      quote: painter('italic'),
      quoteBorder: painter('dim'),
      hr: painter('dim'),
      listBullet: painter('cyan'),
      bold: painter('bold'),
      italic: painter('italic'),
      strikethrough: plain,
      underline: painter('underline'),
      ...(hasColours && { highlightCode: highlighterOf(paint, onHighlighted) }),
    },
  };
}

/** Loads the grammars with the first code block, which has no colours until then. */
function highlighterOf(paint: Theme['paint'], onLoaded: () => void): (code: string, language?: string) => string[] {
  let highlight: typeof codeRows | undefined;
  let isLoading = false;
  const load = async (): Promise<void> => {
    ({ codeRows: highlight } = await import('../terminal/highlight.ts'));
    onLoaded();
  };
  return (code, language) => {
    if (!isLoading) {
      isLoading = true;
      void load();
    }
    if (!highlight) return code.split('\n');
    return highlight(code, language).map((row) =>
      row.map(({ text, style }) => (style ? paint(style, text) : text)).join(''),
    );
  };
}

function plain(text: string): string {
  return text;
}
