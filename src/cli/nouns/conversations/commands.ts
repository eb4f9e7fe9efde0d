// Commands of `conversations`: tree.ts loads each by its export. Scripts have verbs and flags: they are added, not renamed.

import { readAllItems } from '../../../client/read-all-pages.ts'
import { type Conversation, conversations } from '../../../contract/resources/conversations.ts'
import { maxPerPage } from '../../../contract/values/page-size.ts'
import { type Command, command, repeatedFlag } from '../../program/commandline/command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { previewRequest, sendRequest } from '../../program/connection/send-request.ts'
import { confirmSpend } from '../../program/consent/confirm-paid-request.ts'
import type { Context } from '../../program/context.ts'
import { parseCount } from '../../program/input/count-flag.ts'
import { resolveLatest } from '../../program/input/resolve-target.ts'
import { spendingFlags } from '../../program/operations/billing-flags.ts'
import type { View } from '../../program/output/format.ts'
import { printEach } from '../../program/output/output.ts'
import { renderTranscript } from '../../program/output/transcript.ts'
import { promptMissingFields } from '../../program/prompts/prompt-fields.ts'
import { showUnlessPrinted } from '../../program/terminal/progress.ts'
import { safeText } from '../../program/terminal/safe-text.ts'
import { assistantFlag, target } from '../assistants/view.ts'
import { assistantUuid, mergeVariables, variableFlag } from './assistant-flag.ts'
import { exchange } from './exchange.ts'
import {
  type ExportedConversation,
  type ExportedMessage,
  exportedConversation,
  exportedMessage,
  messageRows,
  toExported,
  toMarkdown,
} from './exported-conversation.ts'
import { periodFlags } from './period.ts'
import { printScenario } from './print-scenario.ts'
import { maxConversations, readConversationFilters, readConversations } from './read-conversations.ts'
import { recordedConversation } from './recorded-conversation.ts'
import { redactFlag } from './redact-personal-data.ts'
import { positionOf, printMatches, requireText } from './text-search.ts'
import { argument, conversationView, latest, view } from './view.ts'

/** Creates a command that enables or disables AI replies; `message` is its result line. */
const aiSwitchCommand = (
  endpoint: typeof conversations.enableAi | typeof conversations.disableAi,
  message: string,
): Command =>
  command({
    endpoint,
    argument,
    examples: ['dcc8a31d-9a12-40f7-8676-f5d9a81c26ae'],
    async run(context, { argument: given }) {
      const uuid = await resolveLatest(context, given, latest)
      const answer = await sendRequest(context, endpoint, { uuid })
      if (!answer) return
      await context.out.result(answer, message, { schema: endpoint.output, view: conversationView(uuid) })
    },
  })

export const disableAi = aiSwitchCommand(
  conversations.disableAi,
  'Disabled AI replies. New messages are saved without a reply.',
)

export const enableAi = aiSwitchCommand(conversations.enableAi, 'Enabled AI replies.')

const exportView: View<ExportedConversation> = { id: (it) => it.id, columns: [], empty: 'No conversations.' }
const messageView: View<ExportedMessage> = { id: (it) => it.conversation_id, columns: [], empty: 'No messages.' }

export const exportConversations = command({
  endpoint: conversations.list,
  summary: 'Export conversations',
  filledFields: ['assistant_id', 'page', 'per_page'],
  flags: [assistantFlag, ...periodFlags('conversations'), redactFlag],
  examples: ['--assistant "Front desk" --redact', '--since yesterday -o ndjson', '-o csv --limit 100'],
  notes:
    'Prints transcripts in Markdown. With -o json, yaml or ndjson, each item is a conversation with its messages; with -o csv or tsv, each row is a message.\nSorted from newest to oldest, at most 10000 conversations; --limit exports fewer. Each conversation takes a request.\n--redact recognizes a name in the text of a message only after words such as "my name is".',
  view: exportView,
  async run(context, { flags, input }) {
    const { out, system, notes, globals } = context
    const { filters, contains } = await readConversationFilters(context, { flags, input })
    if (await previewRequest(context, conversations.list, filters)) return
    const limit = parseCount(globals.limit, '--limit')
    const reader = readConversations(context, filters, { limit, contains })
    const { format } = out.settings
    await showUnlessPrinted(context, 'Exporting conversations', async (setText) => {
      async function* exported(): AsyncGenerator<ExportedConversation> {
        for await (const conversation of reader) {
          setText(`Exporting conversations: ${reader.count}`)
          yield toExported(conversation, flags.redact === true)
        }
      }
      if (format === 'csv' || format === 'tsv') {
        async function* rows(): AsyncGenerator<readonly ExportedMessage[]> {
          for await (const conversation of exported()) yield messageRows(conversation)
        }
        await out.pages(rows(), { view: messageView, schema: exportedMessage })
      } else if (out.isForPeople) {
        for await (const conversation of exported())
          await system.streams.stdout.write(safeText(toMarkdown(conversation)))
      } else await printEach(out, exported(), { view: exportView, schema: exportedConversation() })
    })
    if (reader.count === 0 && out.isForPeople) await notes.note(exportView.empty)
    if (reader.hasMore && limit === undefined)
      await notes.warn(`Exported the newest ${maxConversations} conversations. Export the others with --until.`)
  },
})

/** Schema of the printed fields. */
const shownConversation = conversations.get.output.omit({ status: true })

export const get = command({
  endpoint: conversations.get,
  argument,
  examples: ['dcc8a31d-9a12-40f7-8676-f5d9a81c26ae', 'dcc8a31d-9a12-40f7-8676-f5d9a81c26ae --json'],
  notes: 'Prints a transcript. With -o json, the output includes the functions that the assistant ran.',
  async run(context, { argument: given }) {
    const uuid = await resolveLatest(context, given, latest)
    const answer = await sendRequest(context, conversations.get, { uuid })
    if (!answer) return
    const { out, system } = context
    // The platform's status says that the request succeeded, which reads like the status of the conversation.
    const { status: _, ...shown } = answer
    const { history, ...about } = shown
    if (!out.isForPeople) return out.record(shown, { schema: shownConversation, view: conversationView(uuid) })
    const known = Object.fromEntries(
      Object.entries(about).filter(([, value]) => value !== null && Object.keys(Object(value)).length > 0),
    )
    if (out.settings.terminal && Object.keys(known).length > 0) {
      await out.record(known)
      await system.streams.stdout.write('\n')
    }
    await system.streams.stdout.write(await renderTranscript(history, out.settings))
    if (history.length === 0) await context.notes.note('No messages yet.')
  },
})

export const list = listCommand({
  endpoint: conversations.list,
  filter: { flag: assistantFlag, target },
  examples: ['', '--type widget --date-from 2026-08-01', '--assistant "Front desk" --all -o ndjson'],
  notes: 'Sorted from newest to oldest. Show a conversation: parley conversations get <id>.',
  view,
})

const searchView: View<ExportedMessage> = {
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

export const search = command({
  endpoint: conversations.list,
  summary: 'Search conversations',
  argument: { name: 'text', describe: 'Text to find, regardless of case', isVariadic: true },
  filledFields: ['assistant_id', 'page', 'per_page'],
  flags: [assistantFlag, ...periodFlags('conversations'), redactFlag],
  examples: [
    'appointment',
    '"root canal" --assistant "Front desk" --limit 20',
    'invoice --since 7d -o ndjson',
    'invoice --redact -o csv',
  ],
  notes:
    'Reads the newest 10000 conversations, one request each, and prints the messages that contain the text, newest conversation first. --limit stops after that many messages. Show a conversation: parley conversations get <id>.\nWith --redact, the original text is searched, and printed masked.',
  view: searchView,
  async run(context, { argument, flags, input }) {
    const text = await requireText(context, argument?.trim() ?? '')
    const { filters, contains } = await readConversationFilters(context, { flags, input })
    if (await previewRequest(context, conversations.list, filters)) return
    const limit = parseCount(context.globals.limit, '--limit') ?? Number.POSITIVE_INFINITY
    const reader = readConversations(context, filters, { contains })
    let [found, searched] = [0, 0]
    let showSearched = (_: string): void => {}
    async function* matches(): AsyncGenerator<readonly ExportedMessage[]> {
      for await (const conversation of reader) {
        searched++
        showSearched(`Searching conversations: ${searched}, ${found} messages found`)
        const rows = messageRows(toExported(conversation, false))
        const printed = flags.redact === true ? messageRows(toExported(conversation, true)) : rows
        const shown = printed.filter((_, at) => positionOf(rows[at]?.content ?? '', text) >= 0).slice(0, limit - found)
        found += shown.length
        if (shown.length > 0) yield shown
        if (found >= limit) return
      }
    }
    if (context.out.isForPeople && context.out.settings.terminal) {
      for await (const rows of matches()) {
        const [{ conversation_id, assistant_name, created_at }] = rows as readonly [ExportedMessage]
        await printMatches(
          context,
          { title: conversation_id, about: `${assistant_name}, ${created_at} UTC` },
          rows,
          text,
        )
      }
      if (found === 0) await context.notes.note(searchView.empty)
    } else
      await showUnlessPrinted(context, 'Searching conversations', (setText) => {
        showSearched = setText
        return context.out.pages(matches(), { view: searchView, schema: exportedMessage })
      })
    if (reader.hasMore && found < limit)
      await context.notes.warn(
        `Searched the newest ${Math.min(searched, maxConversations)} conversations. Search the others with --until.`,
      )
  },
})

/** Note for people if the reply is missing. */
export const silent = 'No reply: AI replies are disabled in this conversation. The message was saved.'

export const send = command({
  endpoint: conversations.send,
  // A single message is cheap, so no confirmation is needed. The operations journal still records it.
  risk: 'write',
  argument,
  flags: spendingFlags,
  examples: ['dcc8a31d-9a12-40f7-8676-f5d9a81c26ae --message "When are you open?"'],
  notes:
    'Works for widget, test and api conversations. The command waits up to 120 s for the reply; change this with --request-timeout. A message is never sent twice. If the response is lost, the exit code is 12; run "parley ops reconcile" to determine the outcome.',
  async run(context, { argument: given, input }) {
    const uuid = await resolveLatest(context, given, latest)
    const message = { ...(await promptMissingFields(context, conversations.send, input)), uuid }
    if (await previewRequest(context, conversations.send, message)) return
    await confirmSpend(context, conversations.send, message)
    const { out, notes, system, progress } = context
    const sending = exchange(context, message as Parameters<typeof exchange>[1], { signal: system.signal })
    const answer = await progress.showWhile('Waiting for the reply', sending)
    if (!out.isForPeople) return out.record(answer, { schema: conversations.send.output, view: conversationView(uuid) })
    if (answer.message === '') return notes.note(silent)
    await system.streams.stdout.write(
      await renderTranscript(
        [{ role: 'assistant', content: answer.message, function_calls: answer.function_calls }],
        out.settings,
      ),
    )
  },
})

export const start = command({
  endpoint: conversations.create,
  filledFields: ['assistant_id'],
  flags: [assistantFlag, variableFlag],
  examples: ['--assistant "Front desk"', '--assistant 1 --type test --var first_name=Anna', '--assistant 1 -o id'],
  notes:
    'A widget conversation costs 0.01 USD per message; a test conversation is free. To write to it, use parley conversations send or chat.',
  async run(context, { input, flags }) {
    const { assistant_id, variables, ...rest } = input
    const uuid = await assistantUuid(context, flags.assistant ?? assistant_id)
    const values = mergeVariables(variables, repeatedFlag(flags, 'var'))
    const answer = await sendRequest(context, conversations.create, {
      ...rest,
      assistant_id: uuid,
      ...(values && { variables: values }),
    })
    if (!answer) return
    const { out, notes, system } = context
    const { conversation_id: id, history } = answer
    const print = async (): Promise<void> => {
      await system.streams.stdout.write(await renderTranscript(history, out.settings))
      await out.done(`Started conversation. Id: ${id}`)
      await notes.note(`Next: parley conversations send ${id} --message "Hello"`)
    }
    await out.result(answer, print, { schema: conversations.create.output, view: conversationView(id) })
  },
})

export const toTest = command({
  summary: 'Turn a conversation into a test scenario',
  callsPlatform: true,
  argument,
  exits: ['not_found'],
  flags: [{ flags: '--name <name>', describe: 'Name of the scenario (default: the id of the conversation)' }],
  examples: [
    'dcc8a31d-9a12-40f7-8676-f5d9a81c26ae',
    'dcc8a31d-9a12-40f7-8676-f5d9a81c26ae --name "Opening hours" > parley/tests/opening-hours.yaml',
  ],
  notes:
    'Prints a scenario for "parley assistants test": the messages of the customer, the tools that the assistant called, their responses as mocks, and the language of the replies. Add what the replies must say. Phone numbers, email addresses, names and other personal data are replaced where they are recognized.',
  async run(context, { argument: given, flags }) {
    const uuid = await resolveLatest(context, given, latest)
    const details = await context.call(conversations.get, { uuid })
    const recorded = recordedConversation(await listedConversation(context, uuid), details)
    await printScenario(context, {
      ...recorded,
      name: typeof flags.name === 'string' ? flags.name : `conversation ${uuid.slice(0, 8)}`,
    })
  },
})

/** Returns the entry of a conversation in the list, which has its type and its assistant. */
async function listedConversation({ call, system }: Context, uuid: string): Promise<Conversation | undefined> {
  const all: readonly Conversation[] = await readAllItems(
    call,
    conversations.list,
    { per_page: maxPerPage },
    { signal: system.signal },
  )
  return all.find((it) => it.id === uuid)
}
