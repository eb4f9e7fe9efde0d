import { resolve } from 'node:path'
import { chatIn } from '../../nouns/conversations/chat.ts'
import { openPipedInput } from '../../nouns/conversations/chat-input.ts'
import { silent } from '../../nouns/conversations/commands.ts'
import { exchange } from '../../nouns/conversations/exchange.ts'
import { command, type Invocation, repeatedFlag } from '../../program/commandline/command.ts'
import { askConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { consentError, usageError } from '../../program/errors/usage-error.ts'
import { parseVariables, splitPair } from '../../program/input/parse-variables.ts'
import { readValue } from '../../program/input/read-document.ts'
import type { View } from '../../program/output/format.ts'
import { renderTranscript } from '../../program/output/transcript.ts'
import { safeText } from '../../program/terminal/safe-text.ts'
import { readMocksFile } from '../scenario-tests/assistants/read-scenarios.ts'
import type { TestScenario } from '../scenario-tests/assistants/scenario-schema.ts'
import { modelEndpoint, modelScriptFlag, requireScript } from '../scenario-tests/model/model-flags.ts'
import type { ModelEndpoint } from '../scenario-tests/model/model-recorder.ts'
import { FileChatTurn } from './chat-turn.ts'
import { holdConversation, type SavedConversation } from './conversation-file.ts'
import { type FileChat, openFileChat, readChatProject } from './open-file-chat.ts'

const view: View<FileChatTurn> = {
  id: (it) => it.conversation_id,
  columns: [
    { key: 'conversation_id', title: 'Conversation', priority: 3 },
    { key: 'assistant', title: 'Assistant', priority: 3 },
    { key: 'model', title: 'Model', priority: 4 },
    { key: 'message', title: 'Message', priority: 1, flexible: true },
    { key: 'reply', title: 'Reply', priority: 1, flexible: true },
    { key: 'status', title: 'Status', priority: 5, kind: 'status' },
  ],
  empty: 'No messages.',
}

export const chat = command({
  summary: 'Chat with the assistant of a file, without pushing it',
  risk: 'outside',
  exits: ['usage', 'conflict', 'rejected', 'platform', 'consent', 'interrupted'],
  flags: [
    { flags: '-f, --file <path>', describe: 'File of the assistant, as "parley pull" writes it' },
    { flags: '--message <text>', describe: 'Message to send; prints the reply and exits' },
    {
      flags: '--conversation <file>',
      describe:
        'File that continues the conversation: it keeps messages, variables and mocks. Created if it is missing',
    },
    { flags: '--var <name=value>', describe: 'Variable for the assistant; repeatable', repeatable: true },
    {
      flags: '--mock <tool=json>',
      describe: 'Response of a tool (JSON, YAML or @file); repeatable',
      repeatable: true,
    },
    { flags: '--mocks <file>', describe: 'File with the responses of tools in "mocks", such as a scenario' },
    { flags: '--live-tools', describe: 'Call the real tools instead of mocks' },
    { flags: '--confirm-side-effects', describe: 'Confirm that --live-tools may change data' },
    modelScriptFlag,
    { flags: '--transcript <path>', describe: 'Append all messages to a file, as text, or as JSON lines (.ndjson)' },
    { flags: '--stream', describe: 'With -o ndjson, also print replies as they are generated' },
  ],
  examples: [
    '--file parley/assistants/front-desk.yaml --message "When are you open?"',
    '--file parley/assistants/front-desk.yaml',
    '--file parley/assistants/front-desk.yaml --conversation chat.json --message "Book an appointment, day is 2027-03-02, time is 09:30" --mock \'book_appointment={"booked": true}\'',
    '--file parley/assistants/front-desk.yaml -o ndjson < questions.txt',
  ],
  notes:
    'The assistant runs on a temporary local platform, with the tools, automations, knowledge bases and other assistants of its project. The project is the parent of the folder "assistants", or the folder of the file. Nothing is pushed, and nothing is sent to other systems: tools get the responses of --mock and --mocks, or an answer that says that it is a mock.\nReplies come from the local model, or from the language model in PARLEY_MODEL_URL, PARLEY_MODEL and PARLEY_MODEL_KEY.\nWith --conversation, each command continues where the last one ended, also after the files were changed or the assistant was renamed in its file. The file of another assistant is refused. Two commands cannot use the file at once (exit code 5). The credentials of the files are masked in it.\nOn a terminal without --message, type /help for commands. From a pipe, each line is a message, as text or as a JSON object with "message".',
  view,
  async run(context, { flags }) {
    const { system, out } = context
    if (typeof flags.file !== 'string')
      throw usageError(
        'Missing --file. Pass the file of an assistant.',
        'Chat with an assistant of the platform: parley conversations chat --assistant <id>.',
      )
    const message = parseMessage(flags.message)
    const isLive = flags.liveTools === true
    const mocks = await givenMocks(context, flags)
    if (isLive && Object.keys(mocks).length > 0)
      throw usageError('--live-tools calls the real tools, so that mocks are not used.', 'Omit --mock and --mocks.')
    const endpoint = await modelEndpoint(context)
    const script = typeof flags.modelScript === 'string' ? requireScript(system, flags.modelScript) : undefined
    const project = await readChatProject(context, flags.file)
    if (isLive) await confirmLiveTools(context, flags.confirmSideEffects === true)
    const piped =
      message !== undefined || context.interactive
        ? undefined
        : await openPipedInput(context, 'Pass --message, and --conversation to continue with the next command.')
    const path = typeof flags.conversation === 'string' ? flags.conversation : undefined
    const held = path === undefined ? undefined : holdConversation(resolve(system.cwd, path), path, system)
    let open: FileChat | undefined
    try {
      open = await context.progress.showWhile(
        'Starting the platform',
        openFileChat(context, {
          project,
          conversation: held,
          mocks,
          variables: parseVariables(repeatedFlag(flags, 'var')),
          isLive,
          endpoint,
          script,
        }),
      )
      const fileChat = open
      const save = async (): Promise<void> => held?.save(await fileChat.read())
      const about = `${project.assistant} on a temporary platform. Language model: ${describeModel(endpoint)}. ${isLive ? 'The real tools are called.' : 'Tools get mock answers.'}`
      // A conversation that is continued has said it before.
      if (fileChat.replaced.length > 0 && held?.saved === undefined)
        await context.notes.note(safeText(fileChat.replaced.join('\n')))
      if (out.isForPeople) await context.notes.note(safeText(about))
      if (message !== undefined) return await sendOne(context, fileChat, { message, endpoint, save: held?.save })
      let isEnded = false
      await chatIn(fileChat.inner, {
        uuid: fileChat.uuid,
        history: fileChat.history,
        budget: { reserve: () => free },
        piped,
        transcript: typeof flags.transcript === 'string' ? flags.transcript : undefined,
        streams: flags.stream === true,
        isSaved: path !== undefined,
        onAnswer: save,
        onShown: () => noteUnmocked(context, fileChat.takeUnmocked()),
        onEnd: () => (isEnded = true),
      })
      if (isEnded) await save()
      if (context.interactive && path === undefined)
        await context.notes.note('The conversation was not saved. To continue one later, pass --conversation <file>.')
    } finally {
      await open?.close()
      held?.release()
    }
  },
})

/** A test conversation costs nothing (section 4.9). */
const free = { priceUsd: 0 }

/** Returns the message of the command; undefined for a chat. @throws ClientFailure `usage` for an empty one */
function parseMessage(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined
  if (given.trim() === '') throw usageError('--message is empty.')
  return given
}

/** Reads --mocks and --mock, which takes precedence. @throws ClientFailure `usage` */
async function givenMocks({ system }: Context, flags: Invocation['flags']): Promise<TestScenario['mocks']> {
  const mocks: TestScenario['mocks'] = typeof flags.mocks === 'string' ? await readMocksFile(system, flags.mocks) : {}
  const own = new Map<string, { status: number; body: unknown }[]>()
  for (const text of repeatedFlag(flags, 'mock')) {
    const [name, json] = splitPair(
      text,
      '--mock',
      'name=value',
      'For example: --mock \'book_appointment={"booked": true}\'.',
    )
    const body = await readValue(system, json, `--mock ${name}`)
    own.set(name, [...(own.get(name) ?? []), { status: 200, body }])
  }
  return { ...mocks, ...Object.fromEntries(own) }
}

/** @throws ClientFailure exit 10 without confirmation */
async function confirmLiveTools(context: Context, isConfirmed: boolean): Promise<void> {
  const text = 'This calls the real tools of the assistant, which may change data.'
  await context.approvals.requirePerson(text)
  if (isConfirmed) return
  if (!context.interactive) throw consentError(text, 'Review the tools, then pass --confirm-side-effects.')
  if (!(await askConfirmation(context, `${text} Continue?`, { reachesOutside: true })))
    throw consentError('Cancelled.', 'Nothing was sent.')
  context.promptAnswers.push({ flag: '--confirm-side-effects' })
}

const describeModel = (endpoint: ModelEndpoint | undefined): string =>
  endpoint ? `${endpoint.model} at ${new URL(endpoint.url).host}` : 'the simulated local model'

/** Says which tools got the default answer. */
async function noteUnmocked({ notes }: Context, names: readonly string[]): Promise<void> {
  if (names.length > 0)
    await notes.note(
      safeText(`Not called: ${names.join(', ')}. The answer was a mock. To choose it: --mock '${names[0]}=<json>'.`),
    )
}

interface OneMessage {
  readonly message: string
  readonly endpoint: ModelEndpoint | undefined
  readonly save: ((conversation: SavedConversation) => void) | undefined
}

/** Sends one message, saves the conversation and prints the reply. A reply that could not be saved is printed before the error. */
async function sendOne(context: Context, chat: FileChat, { message, endpoint, save }: OneMessage): Promise<void> {
  const { out, system, notes, progress } = context
  const answer = await progress.showWhile(
    'Waiting for the reply',
    exchange(chat.inner, { uuid: chat.uuid, message }, { signal: system.signal, price: free }),
  )
  const read = await chat.read()
  let problem: { readonly error: unknown } | undefined
  try {
    save?.(read)
  } catch (error) {
    problem = { error }
  }
  const unmocked = chat.takeUnmocked()
  const turn: FileChatTurn = {
    conversation_id: chat.uuid,
    assistant: read.assistant,
    model: endpoint?.model ?? 'local',
    message,
    reply: answer.message,
    function_calls: answer.function_calls,
    unmocked_tools: [...unmocked],
    status: read.conversation.status,
    variables: read.conversation.variables,
  }
  const print = async (): Promise<void> => {
    if (answer.message === '') return notes.note(silent)
    await system.streams.stdout.write(
      await renderTranscript(
        [{ role: 'assistant', content: answer.message, function_calls: answer.function_calls }],
        out.settings,
      ),
    )
    await noteUnmocked(context, unmocked)
    if (read.conversation.status === 'ended') await notes.note('The assistant ended the conversation.')
  }
  await out.result(turn, print, { schema: FileChatTurn, view })
  if (problem) throw problem.error
}
