/**
 * Strings of so many UTF-16 units or more are kept apart from the text of their event. Below, the pages of a second
 * table and three indexes would cost more than a second copy.
 */
export const longestInline = 32_768;
