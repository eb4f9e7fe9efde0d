/** Returns a text in single quotes for a POSIX shell. A single quote in it is placed outside the quotes. */
export const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Returns a word of a command line for a POSIX shell, in quotes only if it needs them. */
export const shellQuote = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : quoteForShell(text))

/**
 * Returns a command line of this program, to be pasted into a shell. Hints and output have it, for people and for coding
 * agents, which run it unchanged.
 */
export const commandLine = (words: readonly string[]): string => ['parley', ...words].map(shellQuote).join(' ')
