/** One name that an index file exports. */
export interface IndexName {
  readonly name: string;
  /** Its name in the file it comes from. */
  readonly local: string;
  readonly isType: boolean;
  /** The file it comes from, as the index writes it. */
  readonly from: string;
}

const statement = /export (type )?\{([^}]*)\} from '([^']+)';/g;

/** The names of an index file, in its order. */
export function indexNames(text: string): readonly IndexName[] {
  return [...withoutComments(text).matchAll(statement)].flatMap(([, type, list = '', from = '']) =>
    list
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map((item) => {
        const [local = '', name = local] = item.replace(/^type /, '').split(' as ');
        return { name, local, isType: type !== undefined || item.startsWith('type '), from };
      }),
  );
}

/** Returns the text of an index file without its `export { … } from '…'`; empty if there is nothing else. */
export function otherThanNames(text: string): string {
  return withoutComments(text).replaceAll(statement, '').trim();
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}
