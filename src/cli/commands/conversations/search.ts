import { conversations } from '../../../contract/resources/conversations.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { parseCount } from '../../input/count-flag.ts'
import { resolveId } from '../../input/resolve-target.ts'
import type { View } from '../../output/form.ts'
import { recordArgument } from '../../prompts/equivalent-command.ts'
import { loadPaint } from '../../terminal/color.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { assistantFlag, target } from '../assistants/view.ts'
import { type ExportedMessage, exportedMessage, messageRows, toExported } from './exported-conversation.ts'
import { parsePeriod, periodFlags } from './period.ts'
import { maxConversations, readConversations } from './read-conversations.ts'
import { redactFlag } from './redact-personal-data.ts'

const speakers: Readonly<Record<string, string>> = { user: 'Customer', assistant: 'Assistant' }

const view: View<ExportedMessage> = {
  id: (it) => it.conversation_id,
  columns: [
    { key: 'conversation_id', title: 'Conversation', priority: 1 },
    { key: 'assistant_name', title: 'Assistant', priority: 3, flexible: true },
    { key: 'created_at', title: 'Started', priority: 4, kind: 'time' },
    { key: 'message', title: 'Message', priority: 5, kind: 'number' },
    { key: 'role', title: 'Role', priority: 2 },
    { key: 'content', title: 'Content', priority: 1, flexible: true },
  ],
  empty: 'No messages contain this text.',
}

/** Characters of a message that are shown before and after a match. */
const around = 60

/** Returns the part of a message around the first match, and the start of the match in it. */
function excerpt(content: string, at: number, length: number): { readonly text: string; readonly at: number } {
  const [from, to] = [Math.max(0, at - around), at + length + around]
  const start = from > 0 ? '…' : ''
  return {
    text: `${start}${content.slice(from, to)}${to < content.length ? '…' : ''}`,
    at: start.length + at - from,
  }
}

/** Returns where a text occurs, regardless of case; -1 if it does not. */
const positionOf = (content: string, text: string): number => content.toLowerCase().indexOf(text.toLowerCase())

export const search = command({
  endpoint: conversations.list,
  summary: 'Search the messages of conversations',
  argument: { name: 'text', describe: 'Text to find, regardless of case', isVariadic: true },
  filledFields: ['assistant_id', 'page', 'per_page'],
  flags: [assistantFlag, ...periodFlags, redactFlag],
  examples: [
    'appointment',
    '"root canal" --assistant "Front desk" --limit 20',
    'invoice --since 7d -o ndjson',
    'invoice --redact -o csv',
  ],
  notes:
    'Reads the newest 10000 conversations, one request each, and prints the messages that contain the text, newest conversation first. --limit stops after that many messages. Show a conversation: parley conversations get <id>.\nWith --redact, the original text is searched, and printed masked.',
  view: view as never,
  async run(context, { argument, flags, input }) {
    const text = await requireText(context, argument?.trim() ?? '')
    const given = flags.assistant ?? input.assistant_id
    const assistant = given === undefined ? {} : { assistant_id: await resolveId(context, String(given), target) }
    const period = await parsePeriod(context, flags)
    const filters = { ...period.filters, ...input, ...assistant }
    if (await previewRequest(context, conversations.list, filters)) return
    const limit = parseCount(context.globals.limit, '--limit') ?? Number.POSITIVE_INFINITY
    const reader = readConversations(context, filters, { contains: period.contains })
    let [found, searched] = [0, 0]
    async function* matches(): AsyncGenerator<readonly ExportedMessage[]> {
      for await (const it of reader) {
        searched++
        const rows = messageRows(toExported(it, false))
        const printed = flags.redact === true ? messageRows(toExported(it, true)) : rows
        const shown = printed.filter((_, at) => positionOf(rows[at]?.content ?? '', text) >= 0).slice(0, limit - found)
        found += shown.length
        if (shown.length > 0) yield shown
        if (found >= limit) return
      }
    }
    const { form, terminal, fields } = context.out.settings
    if (form === 'table' && terminal && !fields) {
      for await (const rows of matches()) await printMatches(context, rows, text)
      if (found === 0) await context.notes.note(view.empty)
    } else await context.out.pages(matches(), { view, schema: exportedMessage })
    if (reader.hasMore && found < limit)
      await context.notes.warn(
        `Searched the newest ${Math.min(searched, maxConversations)} conversations. Search the others with --until.`,
      )
  },
})

/** Returns the text to find; prompts for it on a terminal. @throws ClientFailure `usage` elsewhere */
async function requireText(context: Context, given: string): Promise<string> {
  if (given !== '') return given
  if (!context.interactive) throw usageError('Missing text. Pass the text to find.')
  const prompts = await context.prompts()
  const text = (
    await prompts.input('Text to find:', { validate: (value) => value.trim() !== '' || 'Enter a text.' })
  ).trim()
  recordArgument(context, text)
  return text
}

/** Prints the matching messages of one conversation, with the match highlighted. */
async function printMatches(context: Context, rows: readonly ExportedMessage[], text: string): Promise<void> {
  const { out, system } = context
  const paint = await loadPaint(out.settings.color)
  const [first] = rows
  const lines = rows.map(({ role, content }) => {
    // The text of a match may have another length in lower case, so that its position is that of the cleaned line.
    const line = safeLine(content)
    const at = positionOf(line, text)
    const who = `${speakers[role] ?? safeLine(role)}: `
    if (at < 0) return `  ${who}${line.slice(0, 2 * around)}`
    const part = excerpt(line, at, text.length)
    const end = part.at + text.length
    return `  ${who}${part.text.slice(0, part.at)}${paint.yellow(paint.bold(part.text.slice(part.at, end)))}${part.text.slice(end)}`
  })
  const head = `${paint.bold(first?.conversation_id ?? '')}  ${safeLine(first?.assistant_name ?? '')}, ${first?.created_at} UTC`
  await system.streams.stdout.write(`${head}\n${lines.join('\n')}\n`)
}
