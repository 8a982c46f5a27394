import { textOfTable } from './table.ts';
import { tables } from './tables.ts';

const names = process.argv.slice(2);
const unknown = names.find((name) => !Object.hasOwn(tables, name));
if (unknown === undefined) {
  for (const [name, bench] of Object.entries(tables)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.log(textOfTable(await bench()));
  }
} else {
  console.error(`There is no table ${unknown}; the tables are ${Object.keys(tables).join(', ')}.`);
  process.exitCode = 2;
}
