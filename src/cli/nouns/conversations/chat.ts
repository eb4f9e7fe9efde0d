import { appendFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { paginate } from '../../../client/paginate.ts'
import { simulate } from '../../../contract/control/simulate.ts'
import type { TurnEvent } from '../../../contract/control/turns.ts'
import { type Conversation, conversations, type HistoryMessage } from '../../../contract/resources/conversations.ts'
import { stringifyJson } from '../../../node/json.ts'
import { withAnySignal } from '../../../node/time-limit.ts'
import { command, type Invocation, repeatedFlag } from '../../program/commandline/command.ts'
import { previewRequest } from '../../program/connection/send-request.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { resolveLatest } from '../../program/input/resolve-target.ts'
import { budgetFlag } from '../../program/operations/billing-flags.ts'
import type { View } from '../../program/output/format.ts'
import { printEach } from '../../program/output/output.ts'
import { nameColumnWidth, renderTranscript } from '../../program/output/transcript.ts'
import type { System } from '../../program/system.ts'
import { isEnabled, loadPaint } from '../../program/terminal/color.ts'
import { createLiveText } from '../../program/terminal/live-text.ts'
import { safeLine } from '../../program/terminal/safe-text.ts'
import { defaultWidth, maxTextWidth } from '../../program/terminal/wrap-text.ts'
import { assistantFlag } from '../assistants/view.ts'
import { assistantUuid, mergeVariables } from './assistant-flag.ts'
import { type ChatBudget, openChatBudget } from './chat-budget.ts'
import { type ChatInput, openPipedInput, readTypedInput } from './chat-input.ts'
import { silent } from './commands.ts'
import { type Answer, exchange } from './exchange.ts'
import { latest } from './view.ts'

/** Commands in a chat. Pipes of scripts have them, too: they are added, not renamed. */
const slashCommands = {
  '/help': 'List commands',
  '/vars': 'Show the variables of the conversation',
  '/cost': 'Show the cost so far',
  '/history': 'Show all messages',
  '/end': 'End the conversation (local platform only) and leave the chat',
  '/quit': 'Leave the chat (also Ctrl-D); you can resume it later',
} as const

type SlashCommands = Readonly<Record<keyof typeof slashCommands, string>>

/** Returns the commands of a chat, which is resumed later only if it is saved. */
const commandsOf = ({ isSaved }: Pick<Talk, 'isSaved'>): SlashCommands =>
  isSaved ? slashCommands : { ...slashCommands, '/quit': 'Leave the chat (also Ctrl-D); it is not saved' }

/** The result of a slash command. */
type SlashResult =
  | { readonly event: 'help'; readonly commands: SlashCommands }
  | { readonly event: 'variables'; readonly variables: Readonly<Record<string, unknown>> }
  | { readonly event: 'cost'; readonly total_cost: number | null; readonly message_count: number | null }
  | { readonly event: 'history'; readonly history: readonly { readonly role: string; readonly content: string }[] }

/** Returns whether a line ends the chat. */
const isEndCommand = (line: string): boolean => line === '/end' || line === '/quit'

/**
 * Ends a conversation on the local platform, as an inactivity timeout would. Returns the result as a sentence;
 * undefined on other platforms, which have no such endpoint.
 */
async function endConversation(context: Context, uuid: string): Promise<string | undefined> {
  if ((await context.connection()).via === 'remote') return undefined
  return (await context.call(simulate.end, { conversation: uuid })).message
}

/** Maximum number of conversations to search for the current one, newest first. */
const maxSearched = 500

/** Runs a slash command. Returns undefined if the line is a message. */
async function runSlashCommand(talk: Talk, line: string): Promise<SlashResult | undefined> {
  const { context, uuid } = talk
  if (line === '/help') return { event: 'help', commands: commandsOf(talk) }
  if (line === '/vars')
    return { event: 'variables', variables: (await context.call(conversations.get, { uuid })).variables ?? {} }
  if (line === '/history')
    return { event: 'history', history: (await context.call(conversations.get, { uuid })).history }
  if (line === '/cost') {
    const found = await findConversation(context, uuid)
    return { event: 'cost', total_cost: found?.total_cost ?? null, message_count: found?.message_count ?? null }
  }
  return undefined
}

/** Finds the conversation in the list, which alone returns its cost. Unlike a chat, the list requires a key. */
async function findConversation({ call }: Context, uuid: string): Promise<Conversation | undefined> {
  try {
    for await (const item of paginate<typeof conversations.list, Conversation>(
      call,
      conversations.list,
      {},
      { limit: maxSearched },
    ))
      if (item.id === uuid) return item
  } catch (error) {
    if (!(error instanceof ClientFailure) || (error.exit !== 'auth' && error.exit !== 'not_found')) throw error
  }
  return undefined
}

/** Prints the result of a slash command for people, on stderr. */
async function printSlashResult({ notes, system, out }: Context, result: SlashResult): Promise<void> {
  const lines = (pairs: readonly (readonly [string, string])[]): string =>
    pairs.map(([name, text]) => `${name.padEnd(10)} ${text}`).join('\n')
  switch (result.event) {
    case 'help':
      return notes.note(
        `Commands:\n${lines(Object.entries(result.commands))}\nEnd a line with \\ to continue on the next line. Put several lines between two """ lines to send them as one message.`,
      )
    case 'variables': {
      const pairs = Object.entries(result.variables).map(
        ([name, value]) => [name, typeof value === 'string' ? value : stringifyJson(value)] as const,
      )
      return notes.note(pairs.length > 0 ? lines(pairs) : 'The conversation has no variables.')
    }
    case 'cost':
      return notes.note(
        result.total_cost === null
          ? 'Cost unknown: the conversation is not in the list.'
          : `${result.total_cost.toFixed(2)} USD, ${result.message_count} messages.`,
      )
    case 'history':
      await system.streams.stderr.write(await renderTranscript(result.history, out.settings))
  }
}

/** A transcript that is written immediately, so that nothing is lost if the chat is interrupted. */
interface TranscriptFile {
  message(text: string): void
  answer(answer: Answer): void
  note(text: string): void
}

/** Indents all lines except the first. */
const indentLines = (text: string): string => text.replaceAll('\n', '\n  ')

/**
 * Creates a transcript that appends to a file with mode 0600: plain text, or one JSON object per line for `.ndjson`. Users
 * have such files: JSON fields are added, not renamed.
 * @throws ClientFailure `usage` if the file cannot be written
 */
function transcriptFile(system: Pick<System, 'cwd' | 'now'>, path: string, uuid: string): TranscriptFile {
  const file = resolve(system.cwd, path)
  const asJson = /\.(ndjson|jsonl)$/i.test(path)
  const at = (): string => new Date(system.now()).toISOString()
  const add = (text: string): void => {
    try {
      appendFileSync(file, `${text}\n`, { mode: 0o600 })
    } catch (error) {
      throw usageError(`Cannot write the transcript to ${path}: ${(error as Error).message}.`)
    }
  }
  const entry = (role: string, content: string, more: object = {}): void => {
    if (asJson) return add(stringifyJson({ at: at(), conversation_id: uuid, role, content, ...more }))
    add(`${{ user: 'Customer', assistant: 'Assistant' }[role] ?? role}: ${indentLines(content)}`)
  }
  if (!asJson) add(`# Conversation ${uuid}, ${at()}`)
  return {
    message: (text) => entry('user', text),
    answer({ message, function_calls }) {
      if (asJson) return entry('assistant', message, { function_calls })
      for (const { name, arguments: args, result } of function_calls)
        add(`  ran ${name} ${stringifyJson(args)}: ${stringifyJson(result)}`)
      if (message !== '') entry('assistant', message)
    },
    note: (text) =>
      asJson ? add(stringifyJson({ at: at(), conversation_id: uuid, error: text })) : add(`! ${indentLines(text)}`),
  }
}

/** A message and its reply in machine output. Scripts read it: fields are added, not renamed. */
interface Item {
  readonly type: 'item'
  readonly conversation_id: string
  readonly message: string
  readonly reply: string
  readonly function_calls: readonly { readonly name: string; readonly arguments: object; readonly result: object }[]
}

type Progress = { readonly type: 'progress'; readonly conversation_id: string } & (
  | { readonly event: 'text'; readonly text: string }
  | { readonly event: 'function'; readonly name: string; readonly arguments: object; readonly result: object }
  | { readonly event: 'end'; readonly text: string }
  | SlashResult
)

/** A line of `-o ndjson`. Scripts read it: fields and words are added, not renamed. */
type ChatEvent =
  | Item
  | Progress
  | { readonly type: 'result'; readonly conversation_id: string; readonly exchanges: number }

/**
 * Waits for a response and yields its events in order: function calls, and with `streams` also text. Function calls
 * without an event are yielded when the response arrives.
 */
async function* streamExchange(
  uuid: string,
  streams: boolean,
  begin: (onEvent: (event: TurnEvent) => Promise<void>) => Promise<Answer>,
): AsyncGenerator<Progress, Answer> {
  const waiting: TurnEvent[] = []
  let wake = (): void => {}
  let isOver = false
  const toProgress = ({ type, ...rest }: TurnEvent): Progress =>
    ({ type: 'progress', conversation_id: uuid, event: type, ...rest }) as Progress
  const sending = begin(async (event) => {
    waiting.push(event)
    wake()
  })
  const ended = sending.then(
    () => undefined,
    () => undefined,
  )
  void ended.then(() => {
    isOver = true
  })
  let reportedFunctions = 0
  while (!isOver || waiting.length > 0) {
    for (const event of waiting.splice(0)) {
      if (event.type === 'function') reportedFunctions++
      if (event.type === 'function' || streams) yield toProgress(event)
    }
    if (!isOver && waiting.length === 0) await Promise.race([ended, new Promise<void>((resolve) => (wake = resolve))])
  }
  const answer = await sending
  for (const run of answer.function_calls.slice(reportedFunctions)) yield toProgress({ type: 'function', ...run })
  return answer
}

type Run = Answer['function_calls'][number]

/** Shows a reply while it is generated, then any missing rest. */
interface ReplyRenderer {
  readonly onEvent: ((event: TurnEvent) => Promise<void>) | undefined
  done(answer: Answer): Promise<void>
  /** Ends the current line if the request fails. */
  failed(): Promise<void>
}

/** Formats the result of a function on one line. */
const resultLine = ({ result }: Run, room: number): string => {
  const text =
    'error' in result ? `failed: ${String((result as { error: unknown }).error)}` : `returned ${stringifyJson(result)}`
  return text.length > room ? `${text.slice(0, room - 1)}…` : text
}

/** Creates the renderer for people. Accessible mode and output to a file get whole replies. */
async function createReplyRenderer({ out, notes, system }: Context): Promise<ReplyRenderer> {
  const { stdout } = system.streams
  const { settings } = out
  const isLive = settings.terminal && !isEnabled(system.env.ACCESSIBLE)
  const styles = await loadPaint(settings.color)
  const room = Math.max(20, Math.min(settings.columns || defaultWidth, maxTextWidth) - nameColumnWidth)
  let shown = ''
  let calls = 0
  let text = newText()

  function newText() {
    return createLiveText(stdout, `${styles.cyan('Assistant')}  `, nameColumnWidth)
  }
  const functionLines = (run: Run): string =>
    [`ran ${run.name} ${stringifyJson(run.arguments)}`, resultLine(run, room)]
      .map((it) => `${' '.repeat(nameColumnWidth)}${styles.dim(safeLine(it))}\n`)
      .join('')

  async function onEvent(event: TurnEvent): Promise<void> {
    if (event.type === 'text') {
      shown += event.text
      return text.push(event.text)
    }
    calls++
    await text.end()
    text = newText()
    await stdout.write(functionLines(event))
  }

  return {
    onEvent: isLive ? onEvent : undefined,
    async done({ message, function_calls }) {
      for (const run of isLive ? function_calls.slice(calls) : []) await onEvent({ type: 'function', ...run })
      if (message === '') {
        await text.end()
        return notes.note(silent)
      }
      if (!isLive)
        return stdout.write(await renderTranscript([{ role: 'assistant', content: message, function_calls }], settings))
      const shownText = shown.trim()
      if (message.startsWith(shownText)) await text.push(message.slice(shownText.length))
      else {
        // The stored message may differ from the streamed text, such as the greeting after a transfer.
        await text.end()
        text = newText()
        await text.push(message)
      }
      await text.end()
    },
    failed: () => text.end(),
  }
}

const view: View<Item> = {
  id: (it) => it.conversation_id,
  columns: [
    { key: 'type', title: 'Type', priority: 9 },
    { key: 'conversation_id', title: 'Conversation', priority: 3 },
    { key: 'message', title: 'Message', priority: 1, flexible: true },
    { key: 'reply', title: 'Reply', priority: 1, flexible: true },
    { key: 'function_calls', title: 'Functions', priority: 2 },
  ],
  empty: 'No messages.',
}

/** Number of earlier messages to show when a conversation is resumed. */
const recent = 10

export const chat = command({
  summary: 'Chat with an assistant',
  endpoint: conversations.send,
  risk: 'write',
  argument: {
    name: 'id',
    describe: 'UUID of a conversation to resume (default: start a new one)',
    optional: true,
  },
  filledFields: ['message'],
  allowedFields: [],
  flags: [
    assistantFlag,
    {
      flags: '--type <type>',
      describe: 'Type of a new conversation: test is free, widget costs 0.01 USD per message (default: test)',
      choices: ['test', 'widget'],
    },
    {
      flags: '--var <name=value>',
      describe: 'Variable for the assistant in a new conversation; repeatable',
      repeatable: true,
    },
    {
      flags: '--transcript <path>',
      describe: 'Append all messages to a file, as text, or as JSON lines if the name ends in .ndjson',
    },
    {
      flags: budgetFlag,
      describe: 'Maximum cost of all messages of this chat in USD: a message that can exceed it is not sent',
    },
    { flags: '--stream', describe: 'With -o ndjson, also print replies as they are generated' },
  ],
  examples: [
    '--assistant "Front desk" --var first_name=Anna',
    '--assistant 1 -o ndjson < questions.txt',
    '--assistant 1 --transcript chat.txt',
    '--assistant 1 --type widget --budget 0.50',
  ],
  notes:
    'On a terminal, type /help for commands. /end ends the conversation; Ctrl-D leaves the chat, and the conversation stays open. On the local platform, replies and function calls appear as they are generated.\nFrom a pipe, each line is a message, as text or as a JSON object with "message". With -o ndjson, each event is one line with a "type".',
  view,
  async run(context, { argument, flags }) {
    if (argument !== undefined && (flags.assistant ?? flags.type ?? flags.var) !== undefined)
      throw usageError(
        '--assistant, --type and --var apply to new conversations only.',
        'Omit these flags to resume the conversation, or omit the id to start a new one.',
      )
    if (await previewRequest(context, conversations.send, { uuid: argument ?? '<conversation>', message: '<message>' }))
      return
    const budget = await openChatBudget(context, argument === undefined ? String(flags.type ?? 'test') : undefined)
    const piped = context.interactive ? undefined : await openPipedInput(context)
    const { uuid, history } = await opened(context, argument, flags)
    let isEnded = false
    try {
      await chatIn(context, {
        uuid,
        history,
        budget,
        piped,
        transcript: flags.transcript === undefined ? undefined : String(flags.transcript),
        streams: flags.stream === true,
        onEnd: () => (isEnded = true),
      })
    } finally {
      // A conversation that was ended with /end is not resumed.
      if (context.interactive && !isEnded)
        await context.notes.note(`Resume this conversation: parley conversations chat ${uuid}`)
    }
  },
})

/** A conversation that is continued, and how. */
interface ChatOptions {
  readonly uuid: string
  readonly history: readonly HistoryMessage[]
  readonly budget: ChatBudget
  /** The messages of a pipe; undefined if a person types them. */
  readonly piped: AsyncIterable<ChatInput> | undefined
  /** File that all messages are appended to. */
  readonly transcript?: string | undefined
  /** Whether machine output has the text of replies while they are generated. */
  readonly streams: boolean
  /** Whether the conversation can be continued later (default: true). */
  readonly isSaved?: boolean
  /** Called after each reply, before it is shown whole. */
  readonly onAnswer?: (answer: Answer) => Promise<void>
  /** Called after each reply, when it was shown to a person. */
  readonly onShown?: () => Promise<void>
  /** Called when a person has ended the conversation. */
  readonly onEnd: () => void
}

/** Shows the end of a conversation to a person, and continues it until its input ends. */
export async function chatIn(context: Context, options: ChatOptions): Promise<void> {
  const { uuid, history, budget, piped, transcript, streams, isSaved = true, onAnswer, onShown } = options
  const { out, system } = context
  if (out.isForPeople && context.interactive) await showHistory(context, history)
  const file = transcript === undefined ? undefined : transcriptFile(system, transcript, uuid)
  const interrupt = new AbortController()
  await withAnySignal([system.signal, interrupt.signal], async (signal) => {
    const onEnd = (sentence: string | undefined): void => {
      if (sentence !== undefined) options.onEnd()
    }
    const talk: Talk = { context, uuid, file, budget, signal, isSaved, onEnd, onAnswer, onShown }
    const earlier = history.filter((it) => it.role === 'user').map((it) => it.content)
    const inputs = piped ?? readTypedInput(context, interrupt, earlier)
    if (out.isForPeople) await chatWithPerson(talk, inputs)
    else await printEach(out, streamEvents(talk, inputs, streams), { view })
  })
}

/** Shows the last messages of a conversation. */
async function showHistory({ notes, system, out }: Context, history: readonly HistoryMessage[]): Promise<void> {
  if (history.length > recent) await notes.note(`${history.length - recent} earlier messages: /history`)
  await system.streams.stdout.write(await renderTranscript(history.slice(-recent), out.settings))
}

/** An open chat. */
interface Talk {
  readonly context: Context
  readonly uuid: string
  readonly file: TranscriptFile | undefined
  readonly budget: ChatBudget
  readonly signal: AbortSignal
  readonly isSaved: boolean
  /** Called with the sentence about an ended conversation; undefined if it is still open. */
  readonly onEnd: (sentence: string | undefined) => void
  readonly onAnswer: ChatOptions['onAnswer']
  readonly onShown: ChatOptions['onShown']
}

/** Opens the conversation: resumes the given one or starts a new one. */
async function opened(
  context: Context,
  given: string | undefined,
  flags: Invocation['flags'],
): Promise<{ uuid: string; history: readonly HistoryMessage[] }> {
  return given === undefined ? startConversation() : resumed(given)

  async function resumed(id: string) {
    const uuid = await resolveLatest(context, id, latest)
    return { ...(await context.call(conversations.get, { uuid })), uuid }
  }

  async function startConversation() {
    const variables = mergeVariables(undefined, repeatedFlag(flags, 'var'))
    const type = (flags.type ?? 'test') as 'test' | 'widget'
    const body = { assistant_id: await assistantUuid(context, flags.assistant), type, ...(variables && { variables }) }
    const made = await context.call(conversations.create, body)
    return { history: made.history, uuid: made.conversation_id }
  }
}

/** Sends a message and adds it and the reply to the transcript. */
async function sendAndRecord(
  { context, uuid, file, budget, signal, onAnswer }: Talk,
  message: string,
  onEvent?: (event: TurnEvent) => Promise<void>,
) {
  const price = budget.reserve()
  file?.message(message)
  try {
    const answer = await exchange(context, { uuid, message }, { signal, onEvent, price })
    file?.answer(answer)
    await onAnswer?.(answer)
    return answer
  } catch (error) {
    file?.note((error as Error).message)
    throw error
  }
}

/** Returns whether a person can rephrase the message and continue; scripts always get the error. */
const isRecoverable = (error: unknown): error is ClientFailure =>
  error instanceof ClientFailure && (error.exit === 'rejected' || error.code === 'failed')

/** Returns the text of a message: a leading `//` is an escaped `/`. */
const messageText = ({ text, mayBeCommand }: ChatInput): string =>
  mayBeCommand && text.startsWith('//') ? text.slice(1) : text

async function endAndNote(talk: Talk): Promise<void> {
  const ended = await endConversation(talk.context, talk.uuid)
  talk.onEnd(ended)
  if (ended !== undefined) await talk.context.notes.note(ended)
}

/** Runs the chat for a person. */
async function chatWithPerson(talk: Talk, inputs: AsyncIterable<ChatInput>): Promise<void> {
  const { context } = talk
  for await (const input of inputs) {
    const { text, mayBeCommand } = input
    if (text === '') continue
    if (mayBeCommand && isEndCommand(text)) return text === '/end' ? endAndNote(talk) : undefined
    const found = mayBeCommand ? await runSlashCommand(talk, text) : undefined
    if (found) await printSlashResult(context, found)
    else if (mayBeCommand && context.interactive && /^\/[a-z]+$/.test(text))
      await context.notes.note(
        `Unknown command ${text}. Type /help for commands. To send it as a message, type /${text}.`,
      )
    else {
      const show = await createReplyRenderer(context)
      try {
        await show.done(await sendAndRecord(talk, messageText(input), context.interactive ? show.onEvent : undefined))
        await talk.onShown?.()
      } catch (error) {
        await show.failed().catch(() => {})
        if (!context.interactive || !isRecoverable(error)) throw error
        await context.notes.warn(error.message)
      }
    }
  }
}

/** Runs the chat for programs: yields typed events for ndjson, and only the exchanges for other formats. */
async function* streamEvents(
  talk: Talk,
  inputs: AsyncIterable<ChatInput>,
  streams: boolean,
): AsyncGenerator<ChatEvent> {
  const { context, uuid } = talk
  const isNdjson = context.out.settings.format === 'ndjson' && !context.out.settings.fields
  let exchanges = 0
  for await (const input of inputs) {
    const { text, mayBeCommand } = input
    if (text === '') continue
    if (mayBeCommand && isEndCommand(text)) {
      const ended = text === '/end' ? await endConversation(context, uuid) : undefined
      talk.onEnd(ended)
      if (isNdjson && ended !== undefined) yield { type: 'progress', conversation_id: uuid, event: 'end', text: ended }
      break
    }
    const found = mayBeCommand ? await runSlashCommand(talk, text) : undefined
    if (found) {
      if (isNdjson) yield { type: 'progress', conversation_id: uuid, ...found }
      continue
    }
    const message = messageText(input)
    const { message: reply, function_calls } = isNdjson
      ? yield* streamExchange(uuid, streams, (onEvent) => sendAndRecord(talk, message, onEvent))
      : await sendAndRecord(talk, message)
    exchanges++
    yield { type: 'item', conversation_id: uuid, message, reply, function_calls }
  }
  if (isNdjson) yield { type: 'result', conversation_id: uuid, exchanges }
}
