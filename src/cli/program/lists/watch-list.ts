import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { stringifyJson } from '../../../node/json.ts'
import { passingFailures } from '../connection/passing-failures.ts'
import type { Context } from '../context.ts'
import { interruptedExit } from '../errors/interrupted-exit.ts'
import { usageError } from '../errors/usage-error.ts'
import { selectFields, withComposed } from '../output/fields.ts'
import type { Shape } from '../output/format.ts'
import { createOutput, type Output } from '../output/output.ts'
import { renderList, withFieldPaths } from '../output/render.ts'
import { isEnabled } from '../terminal/color.ts'
import type { Sink } from '../terminal/streams.ts'

/** Text that replaces itself on a terminal. */
interface Screen {
  /** Shows text from the top. Lines below the last row are left out, and their number is shown. */
  draw(text: string): Promise<void>
}

const clear = '\x1b[2J\x1b[H'
const home = '\x1b[H'
const clearRestOfLine = '\x1b[K'
const clearBelow = '\x1b[J'

/** Creates a screen on a terminal. */
function createScreen(sink: Sink): Screen {
  let hasDrawn = false
  return {
    async draw(text) {
      const lines = text.replace(/\n$/, '').split('\n')
      // The last row stays free for the cursor.
      const room = sink.rows ? Math.max(2, sink.rows - 1) : lines.length
      const shown =
        lines.length > room ? [...lines.slice(0, room - 1), `... ${lines.length - room + 1} more lines`] : lines
      await sink.write(
        `${hasDrawn ? home : clear}${shown.map((it) => `${it}${clearRestOfLine}\n`).join('')}${clearBelow}`,
      )
      hasDrawn = true
    },
  }
}

/** Milliseconds between two reads of a list. The help of `--watch` (list-flags.ts) names it. */
const intervalMs = 2000

/** What one read of a list would have printed. */
interface Printed {
  readonly items: readonly object[]
  readonly shape: Shape<object>
}

/**
 * Reads a list every two seconds until Ctrl-C. On a terminal the table is redrawn in place; otherwise new and changed
 * records are printed as ndjson, beginning with all. Failures of the connection or the platform after the first read are
 * reported once, and the next read is tried.
 * @throws ClientFailure `usage` for an output format other than table and ndjson
 */
export async function watchList(context: Context, read: (context: Context) => Promise<unknown>): Promise<ExitName> {
  const { system, out, notes } = context
  const { format, terminal } = out.settings
  if (format !== 'table' && format !== 'ndjson')
    throw usageError(`--watch cannot print ${format}.`, 'Use -o ndjson, or a table on a terminal.')
  const isDrawn = format === 'table' && terminal && !isEnabled(system.env.ACCESSIBLE) && system.env.TERM !== 'dumb'
  const print = isDrawn ? tableDrawer(context) : changePrinter(context)
  let hasRead = false
  let hasFailed = false
  while (!system.signal.aborted) {
    try {
      const printed = await capture(context, read)
      if (printed && !system.signal.aborted) await print(printed)
      hasRead = true
      hasFailed = false
    } catch (error) {
      if (system.signal.aborted) break
      if (!hasRead || !passingFailures.has((error as { exit?: unknown }).exit)) throw error
      if (!hasFailed) await notes.warn(`${(error as Error).message} Trying again every ${intervalMs / 1000} s.`)
      hasFailed = true
    }
    await context.pause(intervalMs)
  }
  return interruptedExit(system.signal)
}

/** Runs a command and returns what it would have printed. Its hints are left out, because they would be repeated. */
async function capture(context: Context, read: (context: Context) => Promise<unknown>): Promise<Printed | undefined> {
  let printed: Printed | undefined
  const reject = (): never => {
    throw usageError('--watch requires a list.', 'Remove the argument of the command.')
  }
  const out: Output = {
    settings: context.out.settings,
    fields: context.out.fields,
    line: reject,
    json: reject,
    done: reject,
    hasSentence: () => false,
    isForPeople: context.out.isForPeople,
    record: reject,
    result: reject,
    list: async (items, shape = {}) => {
      printed = { items, shape: shape as Shape<object> }
    },
    pages: async (pages, shape = {}) => {
      const items: object[] = []
      for await (const page of pages) items.push(...page)
      printed = { items, shape: shape as Shape<object> }
      return items.length
    },
  }
  const silent = { ...context.notes, note: async () => {} }
  await read(
    Object.defineProperties(
      {},
      {
        ...Object.getOwnPropertyDescriptors(context),
        out: { value: out, enumerable: true },
        notes: { value: silent, enumerable: true },
      },
    ) as Context,
  )
  return printed
}

/** Returns a function that redraws the table of a list. */
function tableDrawer({ system, out }: Context): (printed: Printed) => Promise<void> {
  const screen = createScreen(system.streams.stdout)
  return async ({ items, shape }) => {
    const { text } = await renderList(items, out.settings, shape)
    await screen.draw(items.length > 0 ? text : `${shape.view?.empty ?? 'Nothing found.'}\n`)
  }
}

/** Returns a function that prints the records that are new or changed since the previous read. */
function changePrinter({ system, out, notes }: Context): (printed: Printed) => Promise<void> {
  const printer = createOutput(system.streams.stdout, notes, { ...out.settings, format: 'ndjson' })
  let known: ReadonlyMap<unknown, string> = new Map()
  return async ({ items, shape }) => {
    const seen = new Map<unknown, string>()
    const changed = items.filter((item, n) => {
      const id = (shape.view as { id?: (item: object) => unknown } | undefined)?.id?.(item) ?? n
      const { fields } = withFieldPaths(out.settings, [item], shape)
      const text = stringifyJson(fields ? selectFields(withComposed([item], fields, shape), fields) : item)
      seen.set(id, text)
      return known.get(id) !== text
    })
    known = seen
    if (changed.length > 0)
      await printer.pages(
        (async function* () {
          yield changed
        })(),
        shape,
      )
  }
}
