/** Flags of every command that prints a list. Their descriptions are in list-flag-table.ts, because no command needs them. */
export const listFlagSyntax = [
  '--filter <conditions>',
  '--sort <fields>',
  '--since <time>',
  '--until <time>',
  '--watch',
] as const

/** Returns whether a flag of a list may have been passed. It may also be a flag of the command itself. */
export const hasListFlag = (flags: Readonly<Record<string, unknown>>): boolean =>
  listFlagSyntax.some((it) => flags[it.slice(2).replace(/ .*/, '')] !== undefined)
