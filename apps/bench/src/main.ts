import { parseArgs } from 'node:util';
import { textOfTable, type BenchOptions } from './table.ts';
import { tables } from './tables.ts';

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: { replay: { type: 'string' }, window: { type: 'string' } },
});
const options: BenchOptions = {
  ...(values.replay !== undefined && { replay: values.replay }),
  ...(values.window !== undefined && { window: Number(values.window) }),
};
const unknown = names.find((name) => !Object.hasOwn(tables, name));
if (unknown === undefined) {
  for (const [name, bench] of Object.entries(tables)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.log(textOfTable(await bench(options)));
  }
} else {
  console.error(`There is no table ${unknown}; the tables are ${Object.keys(tables).join(', ')}.`);
  process.exitCode = 2;
}
