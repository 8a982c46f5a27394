import { namedJson } from './named-json.ts';

/** `<function=NAME>{…}</function>`, as Llama's models write calls, some of them without `>` or with brackets. */
export const functionJson = namedJson({
  marks: ['<function='],
  head: /<function=\s?["']?(?<name>[A-Za-z_][\w.-]{0,199})["']?\s?(?:>\s{0,20}|(?=[{([]))[([]?\s{0,20}(?=\{)/y,
  tail: /\s{0,20}[)\]]?\s{0,20}>?\s{0,20}(?:<\/?function>?)?/y,
});
