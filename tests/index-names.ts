/** One name that an index file gives to the world. */
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

/** What an index file holds besides `export { … } from '…'`; empty when all is well. */
export function besidesNames(text: string): string {
  return withoutComments(text).replaceAll(statement, '').trim();
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}
