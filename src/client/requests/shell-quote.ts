/** Returns a text in single quotes for a POSIX shell. A single quote in it is placed outside the quotes. */
export const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
