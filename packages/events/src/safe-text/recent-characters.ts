/**
 * Ranges of letters, marks and signs of the first plane, emoji and Han that were assigned after Unicode 9 (2016), in
 * hexadecimal. A terminal that does not know a character may omit it: tmux does, with the tables of the system's C
 * library, which are years older than those of Node.
 *
 * @see https://www.unicode.org/Public/17.0.0/ucd/DerivedAge.txt
 */
const ranges = `
560 588 5ef 61d 7fd-7ff 860-88f 897-89f 8b5 8be-8d3 9fc-9fe a76 afa-aff b55 c04 c3c c5c-c5d c77 c84 cdc-cdd cf3-d00
d04 d3b-d3c d81 e86 e89 e8c e8e-e93 e98 ea0 ea8-ea9 eac eba ece 170d 1715-171f 180f 1878 1abf-1aeb 1b4c-1b4f
1b7d-1b7f 1c89-1cbf 1cf7 1cfa 1df6-1dfa 20bf-20c1 23ff 2427-2429 2b96-2b97 2bba-2bbc 2bc9 2bd2-2beb 2bf0-2bff 2c2f
2c5f 2e45-2e5d 2ffc-2fff 312e-312f 31bb-31bf 31e4-31ef 32ff 4db6-4dbf 9fd6-9fff a7af a7b8-a7f6 a82c a8fe-a8ff
ab66-ab6b fbc2-fbd2 fd40-fd4f fd90-fd91 fdc8-fdcf fdfe-fdff 16fe2-16fe3 16ff0-16ff6 1f6d5-1f6df 1f6f7-1f6fc
1f7e0-1f7f0 1f90c-1f90f 1f91f 1f928-1f92f 1f931-1f932 1f93f 1f94c-1f94f 1f95f-1f97f 1f992-1f9bf 1f9c1-1f9ff
1fa70-1faf8 2a6d7-2a6df 2b735-2b73f 2cea2-2ee5d 30000-33479`;

/** The characters as the content of a character class, for a pattern with the flag `v`. */
export const recentCharacters = ranges
  .trim()
  .split(/\s+/)
  .map((range) => range.replaceAll(/[\da-f]+/g, String.raw`\u{$&}`))
  .join('');
