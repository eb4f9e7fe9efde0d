import { stringifyJson } from '../../../node/json.ts'
import { loadPaint, type Paint } from '../terminal/color.ts'
import { escapeControls, safeText } from '../terminal/safe-text.ts'
import type { Sink } from '../terminal/streams.ts'
import { defaultWidth, loadTextWidth, wrap } from '../terminal/wrap-text.ts'
import { addressCommands } from './addressed-commands.ts'

/** A problem with one input field. */
interface ErrorDetail {
  /** Dot path of the field in the request. */
  readonly path: string
  readonly message: string
  /** The flag that sets it, with its dashes. Shown to people instead of the path. */
  readonly flag?: string
  /** Allowed values of an enum; for people. */
  readonly choices?: readonly string[] | undefined
}

/**
 * Full report of why a run failed. Machine formats print it on stderr as JSON, which scripts read: fields and codes are
 * added, not renamed.
 */
export interface ErrorReport {
  /** Stable, lower case: `numbers.in_use`, `usage`, `connection`. */
  readonly code: string
  readonly message: string
  /** Message for people. Machine formats keep the message of the platform. */
  readonly displayMessage?: string
  readonly hint?: string
  /** HTTP status, if there was a response. */
  readonly status?: number
  readonly details?: readonly ErrorDetail[]
  readonly request_id?: string
  /** Seconds. */
  readonly retry_after?: number
  /** Command lines that help, ready to copy. */
  readonly next?: readonly string[]
  /** Id of the operation that waits for a person's approval. */
  readonly operation?: string
}

/** What is missing in a list that was cut. Coding agents read it on stderr, and the skill names its fields: they are not renamed. */
interface TruncatedList {
  readonly shown: number
  /** Null if the platform does not say it. */
  readonly total: number | null
  /** The command line that continues. */
  readonly next: string
}

/** Writes hints, warnings and errors to stderr. A failure to write them does not fail the run. */
export interface Notes {
  /** Writes a hint; hidden by `--quiet`. */
  note(text: string): Promise<void>
  /** Writes what a person must know to judge the result, such as a check that was not made. `--quiet` never hides it. */
  warn(text: string): Promise<void>
  error(report: ErrorReport): Promise<void>
  /** Says at the end, as a JSON object, that a list was cut. */
  truncated(list: TruncatedList): void
  /** Writes delayed notes. Call it once when a run succeeds. */
  end(): Promise<void>
}

interface NotesSettings {
  /** True for json, ndjson and yaml: a failure is exactly one JSON object, so hints and warnings wait until the end. */
  readonly json: boolean
  readonly quiet: boolean
  /** Whether stderr gets color; the styles are loaded on first use. */
  readonly color?: boolean
  /** Flags that select the platform of the command; printed command lines repeat them. */
  readonly platformFlags?: string
  /** Styles that are already loaded. */
  readonly paint?: Paint
}

/** Returns whether a hint already gives a command, so that it is not printed twice. */
const namesCommand = (hint: string | undefined, command: string): boolean =>
  hint !== undefined && new RegExp(`${command.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w <-])`).test(hint)

function renderErrorForPeople(report: ErrorReport, paint: Paint): string[] {
  const summary = report.displayMessage ?? report.message
  const details = report.details ?? []
  const [only] = details
  // A platform often repeats its only detail as the message.
  const isRepeated = details.length === 1 && only?.message === summary && !only.choices
  const place = isRepeated && only.flag ? `${paint.bold(safeText(only.flag))}: ` : ''
  const texts = [`${paint.red('error:')} ${place}${safeText(summary)}`]
  for (const { path, message, flag, choices } of isRepeated ? [] : details) {
    const where = safeText(flag ?? path)
    const detailText = safeText(message) + (choices ? ` Allowed values: ${choices.join(', ')}.` : '')
    texts.push(where ? `  ${paint.bold(where)}: ${detailText}` : `  ${detailText}`)
  }
  if (report.hint) texts.push(`${paint.cyan('hint:')} ${safeText(report.hint)}`)
  for (const command of report.next ?? [])
    if (!namesCommand(report.hint, command)) texts.push(`${paint.cyan('next:')} ${safeText(command)}`)
  if (report.request_id) texts.push(paint.dim(`request id: ${safeText(report.request_id)}`))
  return texts
}

/** Writes each text on a new line and indents its further lines; wraps to the width of a terminal. */
async function wrapTexts(texts: readonly string[], { isTTY, columns }: Sink): Promise<string> {
  const indent = '  '
  const room = isTTY ? columns || defaultWidth : Infinity
  const isShort = texts.every((it) => it.length * 2 <= room)
  const fitted = isShort ? texts.map((it) => it.replaceAll('\n', `\n${indent}`)) : await wrapped(texts, room, indent)
  return fitted.map((it) => `${it}\n`).join('')
}

/** Wraps texts. Loaded lazily, because measuring text requires a table of all characters. */
async function wrapped(texts: readonly string[], room: number, indent: string): Promise<string[]> {
  const { textWidth } = await loadTextWidth()
  return texts.map((it) => wrap(it, room, indent, textWidth))
}

function renderErrorAsJson(report: ErrorReport, warnings: readonly string[]): string {
  const error = {
    code: report.code,
    message: report.message,
    hint: report.hint ?? null,
    status: report.status ?? null,
    details: (report.details ?? []).map(({ path, message }) => ({ path, message })),
    request_id: report.request_id ?? null,
    retry_after: report.retry_after ?? null,
    next: report.next ?? [],
    ...(report.operation !== undefined && { operation: report.operation }),
  }
  return escapeControls(`${stringifyJson(warnings.length > 0 ? { error, warnings } : { error })}\n`)
}

/** Creates notes that write to a sink. */
export function createNotes(stderr: Sink, settings: NotesSettings): Notes {
  const styles = async (): Promise<Paint> => settings.paint ?? loadPaint(settings.color ?? false)
  const held: { readonly text: string; readonly isWarning: boolean }[] = []
  let truncated: TruncatedList | undefined
  const write = (text: string): Promise<void> => stderr.write(text).catch(() => {})
  const writeNote = async (text: string, isWarning: boolean): Promise<void> =>
    write(await wrapTexts([`${isWarning ? `${(await styles()).yellow('warning:')} ` : ''}${safeText(text)}`], stderr))
  const addressed = (text: string): string => addressCommands(text, settings.platformFlags ?? '')
  const addNote = async (unaddressed: string, isWarning: boolean): Promise<void> => {
    const text = addressed(unaddressed)
    if (settings.json) held.push({ text, isWarning })
    else await writeNote(text, isWarning)
  }
  return {
    note: async (text) => {
      if (!settings.quiet) await addNote(text, false)
    },
    warn: (text) => addNote(text, true),
    error: async (given) => {
      const report: ErrorReport = {
        ...given,
        ...(given.hint !== undefined && { hint: addressed(given.hint) }),
        ...(given.next && { next: given.next.map(addressed) }),
      }
      const warnings = held.splice(0).flatMap((it) => (it.isWarning ? [it.text] : []))
      await write(
        settings.json
          ? renderErrorAsJson(report, warnings)
          : await wrapTexts(renderErrorForPeople(report, await styles()), stderr),
      )
    },
    truncated: (list) => {
      truncated = list
    },
    end: async () => {
      for (const { text, isWarning } of held.splice(0)) await writeNote(text, isWarning)
      if (truncated) await write(escapeControls(`${stringifyJson({ truncated })}\n`))
    },
  }
}
