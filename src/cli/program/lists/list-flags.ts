import type { Command, CommandFlag } from '../commandline/command.ts'

/** Flags of every command that prints a list, as help shows them. Scripts use them, and the values are parsed elsewhere by these names. */
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

/** Flags of every command that prints a list, except those that the command declares itself. */
export const listFlags = [
  {
    flags: '--filter <conditions>',
    describe:
      'Only records that match all conditions, such as status=failed,duration>60 (= != > >= < <= ~); repeatable',
    repeatable: true,
  },
  { flags: '--sort <fields>', describe: 'Sort by comma-separated fields; -field sorts in descending order' },
  { flags: '--since <time>', describe: 'Only records at or after a time: 2h, 7d, yesterday, 2026-11-01' },
  { flags: '--until <time>', describe: 'Only records before a time: 2h, 7d, yesterday, 2026-11-01' },
  {
    flags: '--watch',
    describe: 'Repeat every 2 s until Ctrl-C: redraw a table on a terminal, else print changes as ndjson',
  },
] as const satisfies readonly (CommandFlag & { readonly flags: (typeof listFlagSyntax)[number] })[]

/** Returns the name of a flag without dashes and value: `filter`. */
const nameOf = (flags: string): string => flags.replace(/^(-\w, )?--| .*$/g, '')

/** Returns the list flags of a command: none if it prints no list, and none that it declares itself. */
export function listFlagsOf({ isList, flags = [], endpoint, filledFields }: Command): readonly CommandFlag[] {
  if (!isList) return []
  const own = new Set(flags.map((it) => nameOf(it.flags)))
  for (const field of Object.keys(endpoint?.query?.shape ?? {})) if (!filledFields?.includes(field)) own.add(field)
  return listFlags.filter((it) => !own.has(nameOf(it.flags)))
}

/** Values of the list flags on a command line. */
export interface GivenListFlags {
  readonly filter?: readonly string[]
  readonly sort?: string
  readonly since?: string
  readonly until?: string
  readonly watch?: boolean
}

/** Returns the list flags that were passed; undefined if there are none. */
export function givenListFlags(command: Command, flags: Readonly<Record<string, unknown>>): GivenListFlags | undefined {
  if (!command.isList) return undefined
  const given = listFlagsOf(command).flatMap(({ flags: text }) => {
    const name = nameOf(text)
    return flags[name] === undefined ? [] : [[name, flags[name]]]
  })
  return given.length > 0 ? Object.fromEntries(given) : undefined
}
