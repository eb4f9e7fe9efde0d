import { conversations } from '../../../contract/resources/conversations.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { parseCount } from '../../input/count-flag.ts'
import { resolveId } from '../../input/resolve-target.ts'
import type { View } from '../../output/form.ts'
import { safeText } from '../../terminal/safe-text.ts'
import { assistantFlag, target } from '../assistants/view.ts'
import {
  type ExportedConversation,
  type ExportedMessage,
  exportedConversation,
  exportedMessage,
  messageRows,
  toExported,
  toMarkdown,
} from './exported-conversation.ts'
import { parsePeriod, periodFlags } from './period.ts'
import { maxConversations, readConversations } from './read-conversations.ts'
import { redactFlag } from './redact-personal-data.ts'

const view: View<ExportedConversation> = { id: (it) => it.id, columns: [], empty: 'No conversations.' }
const messageView: View<ExportedMessage> = { id: (it) => it.conversation_id, columns: [], empty: 'No messages.' }

export const exportConversations = command({
  endpoint: conversations.list,
  summary: 'Export conversations with their messages',
  filledFields: ['assistant_id', 'page', 'per_page'],
  flags: [assistantFlag, ...periodFlags, redactFlag],
  examples: ['--assistant "Front desk" --redact', '--since yesterday -o ndjson', '-o csv --limit 100'],
  notes:
    'Prints transcripts in Markdown. With -o json, yaml or ndjson, each item is a conversation with its messages; with -o csv or tsv, each row is a message.\nSorted from newest to oldest, at most 10000 conversations; --limit exports fewer. Each conversation takes a request.\n--redact recognizes a name in the text of a message only after words such as "my name is".',
  view: view as never,
  async run(context, { flags, input }) {
    const { out, system, notes, globals } = context
    const given = flags.assistant ?? input.assistant_id
    const assistant = given === undefined ? {} : { assistant_id: await resolveId(context, String(given), target) }
    const period = await parsePeriod(context, flags)
    const filters = { ...period.filters, ...input, ...assistant }
    if (await previewRequest(context, conversations.list, filters)) return
    const limit = parseCount(globals.limit, '--limit')
    const reader = readConversations(context, filters, { limit, contains: period.contains })
    const { form } = out.settings
    async function* exported(): AsyncGenerator<ExportedConversation> {
      for await (const it of reader) yield toExported(it, flags.redact === true)
    }
    if (form === 'csv' || form === 'tsv') {
      async function* rows(): AsyncGenerator<readonly ExportedMessage[]> {
        for await (const it of exported()) yield messageRows(it)
      }
      await out.pages(rows(), { view: messageView, schema: exportedMessage })
    } else if (form === 'table' && !out.settings.fields) {
      for await (const it of exported()) await system.streams.stdout.write(safeText(toMarkdown(it)))
      if (reader.count === 0) await notes.note(view.empty)
    } else {
      async function* pages(): AsyncGenerator<readonly ExportedConversation[]> {
        for await (const it of exported()) yield [it]
      }
      await out.pages(pages(), { view, schema: exportedConversation() })
    }
    if (reader.hasMore && limit === undefined)
      await notes.warn(`Exported the newest ${maxConversations} conversations. Export the others with --until.`)
  },
})
