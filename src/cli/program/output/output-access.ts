import { shellCommand } from '../../../node/operating-system.ts'
import type { GlobalOptions } from '../commandline/global-flags.ts'
import { isForAgent } from '../configuration/agent-mode.ts'
import type { OutputAccess } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import type { System } from '../system.ts'
import { colorFor, isEnabled } from '../terminal/color.ts'
import { createProgress, type Progress } from '../terminal/progress.ts'
import { platformFlags } from './addressed-commands.ts'
import { isFieldHelp, parseFields } from './fields.ts'
import { type Format, isDocument, isLineFormat, type ListCut, type OutputSettings } from './format.ts'
import type { Jq } from './jq.ts'
import { createNotes } from './notes.ts'
import { createOutput, type OutputOptions } from './output.ts'

/** Shows text in a pager. Returns false if it was not shown. */
type Pager = (text: string) => Promise<boolean>

/** Returns the command of the pager of the user: PARLEY_PAGER, otherwise PAGER. */
const pagerCommand = ({ PARLEY_PAGER, PAGER }: System['env']): string => (PARLEY_PAGER ?? PAGER ?? '').trim()

/**
 * Returns the pager for tables on a terminal; undefined without a terminal or a pager, in CI, on a dumb terminal and on
 * Windows. Text that fits the terminal is not paged.
 */
function findPager(system: System): Pager | undefined {
  const { env, os, streams } = system
  const command = pagerCommand(env)
  if (!streams.stdout.isTTY || isEnabled(env.CI) || env.TERM === 'dumb' || os === 'win32') return undefined
  if (command === '' || command === 'cat') return undefined
  return async (text) => {
    const { rows = 0 } = streams.stdout
    if (rows === 0 || text.split('\n').length <= rows) return false
    // As git does: less keeps colors, and leaves the table on the screen.
    const { exitCode } = await system.run(...shellCommand(system.os, `LESS="\${LESS-FRX}" ${command}`), {
      interactive: true,
      input: text,
    })
    // 126 and 127: the shell cannot run the command.
    return exitCode !== 126 && exitCode !== 127
  }
}

/** A clock that differs by less is ours: an HTTP date names a whole second, and a response takes time. */
const maxClockDifferenceMs = 2000
/** Milliseconds from the time in a Date header to the end of its second: records of that second are not in the future. */
const restOfSecondMs = 999

/**
 * Creates the output of a command. Tables of a list are shown in the pager of the user. Relative times are counted from the time of the platform once a response reported
 * another one.
 */
export function createOutputAccess(
  system: System,
  globals: GlobalOptions,
  format: Format,
  isList = false,
  { cut, ...options }: Omit<OutputOptions, 'platformFlags'> & { readonly cut?: ListCut | undefined } = {},
): OutputAccess & { readonly observeTime: (date: string | undefined) => void } {
  const { env, streams } = system
  if (globals.safe === true && format !== 'tsv' && format !== 'csv')
    throw usageError('--safe requires -o csv or -o tsv.', 'Other formats are not read by spreadsheets.')
  const fields = globals.fields === undefined ? undefined : parseFields(globals.fields)
  const jq = globals.jq === undefined ? undefined : lazyJq(system, globals.jq)
  /** Milliseconds by which the clock of the platform is ahead of that of this computer. */
  let aheadMs = 0
  const settings: OutputSettings = {
    format,
    header: globals.header !== false,
    utc: globals.utc === true,
    isIndented: !isForAgent(env),
    ...(globals.safe === true && { safe: true }),
    color: globals.jq === undefined && colorFor(streams.stdout, globals, env),
    ...(jq && { jq }),
    // Lines are for programs, which would miss the rest.
    ...(cut && { cut: isLineFormat(format) ? { ...cut, maxItems: Number.POSITIVE_INFINITY } : cut }),
    terminal: streams.stdout.isTTY,
    columns: streams.stdout.columns,
    ...(globals.fullIds === true && { fullIds: true }),
    get now() {
      return system.now() + aheadMs
    },
    get computerNow() {
      return system.now()
    },
    ...(fields && !isFieldHelp(fields) && { fields }),
    ...(isList && format === 'table' && streams.stdout.isTTY && { page: lazyPager(system) }),
  }
  const color = colorFor(streams.stderr, globals, env)
  const quiet = globals.quiet === true
  const flags = platformFlags(globals)
  // Of an agent, only the flag chooses errors for people.
  const json = isDocument(format) || (isForAgent(env) && globals.output !== 'table')
  const notes = createNotes(streams.stderr, { json, quiet, color, platformFlags: flags })
  let progress: Progress | undefined
  return {
    notes,
    out: createOutput(streams.stdout, notes, settings, { ...options, platformFlags: flags }),
    get progress() {
      progress ??= createProgress({ stderr: streams.stderr, stream: system.terminal.output, env, quiet, color })
      return progress
    },
    observeTime(date) {
      const at = date === undefined ? Number.NaN : Date.parse(date)
      const difference = at - system.now()
      aheadMs = Math.abs(difference) > maxClockDifferenceMs ? difference + restOfSecondMs : 0
    },
  }
}

/** Returns the runner of a jq expression, loaded before the command runs. */
function lazyJq({ signal, streams }: System, expression: string): Jq {
  let loaded: Promise<Jq> | undefined
  const load = (): Promise<Jq> =>
    (loaded ??= import('./jq.ts').then((it) => it.createJq(expression, { signal, isIndented: streams.stdout.isTTY })))
  return { check: async () => (await load()).check(), apply: async (json) => (await load()).apply(json) }
}

/** Returns the pager of the user, loaded when a table is printed. */
const lazyPager =
  (system: System) =>
  async (text: string): Promise<boolean> => {
    return (await findPager(system)?.(text)) ?? false
  }
