import type { System } from '../../system.ts'
import type { GlobalOptions } from '../commandline/global-flags.ts'
import { colourFor } from '../terminal/colour.ts'
import { createProgress, type Progress } from '../terminal/progress.ts'
import { isFieldHelp, parseFields } from './fields.ts'
import type { Form, OutputSettings } from './form.ts'
import { createNotes, type Notes } from './notes.ts'
import { createOutput, type Output } from './output.ts'

/** What a running command prints: results on stdout, notes and progress on stderr. */
export interface OutputAccess {
  readonly out: Output
  readonly notes: Notes
  readonly progress: Progress
}

/** A clock that differs by less is ours: HTTP dates have a resolution of one second. */
const maxClockDifferenceMs = 90_000

/** Creates the output of a command. Relative times are counted from the time of the platform once a response reported another one. */
export function createOutputAccess(
  world: System,
  globals: GlobalOptions,
  form: Form,
): OutputAccess & { readonly observeTime: (date: string | undefined) => void } {
  const { env, streams } = world
  const fields = globals.fields === undefined ? undefined : parseFields(globals.fields)
  let platformTime: number | undefined
  const settings: OutputSettings = {
    form,
    header: globals.header !== false,
    utc: globals.utc === true,
    colour: colourFor(streams.stdout, globals, env),
    terminal: streams.stdout.isTTY,
    columns: streams.stdout.columns,
    get now() {
      return platformTime ?? world.now()
    },
    ...(fields && !isFieldHelp(fields) && { fields }),
  }
  const colour = colourFor(streams.stderr, globals, env)
  const quiet = globals.quiet === true
  const notes = createNotes(streams.stderr, { json: isDocument(form), quiet, colour })
  let progress: Progress | undefined
  return {
    notes,
    out: createOutput(streams.stdout, notes, settings),
    get progress() {
      progress ??= createProgress({ stderr: streams.stderr, stream: world.terminal.output, env, quiet, colour })
      return progress
    },
    observeTime(date) {
      const at = date === undefined ? Number.NaN : Date.parse(date)
      platformTime = Math.abs(at - world.now()) > maxClockDifferenceMs ? at : undefined
    },
  }
}

/** Whether results and errors are documents for programs. */
export const isDocument = (form: Form): boolean => form === 'json' || form === 'ndjson' || form === 'yaml'
