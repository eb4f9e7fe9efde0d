// Recorded responses of models, which users commit beside their tests. Another `questionKey` would make every recording stale.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import * as z from '../../../../contract/schema/schema.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { redactText, redactValue } from '../../../../contract/values/redact.ts'
import { parseJson, stringifyJson } from '../../../../node/json.ts'
import { makeFolder } from '../../../../node/make-folder.ts'
import { replaceFile } from '../../../../node/replace-file.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { textDifference } from '../../../program/updates/text-difference.ts'
import type { TestScenario } from '../assistants/scenario-schema.ts'

/** A request to a model without what differs between endpoints. */
export interface ModelQuestion {
  readonly messages: readonly { readonly role?: string; readonly content?: unknown }[]
  readonly tools?: readonly unknown[] | undefined
}

const Entry = z.object({
  key: z.string(),
  messages: z.array(z.record(z.string(), z.unknown())),
  tools: z.array(z.unknown()),
  response: z.object({
    content: z.string(),
    tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
  }),
  /** Milliseconds that the model took. */
  latency_ms: z.number().optional(),
})
const CassetteFile = z.object({ version: z.literal(1), model: z.string(), entries: z.array(Entry) })
export type Cassette = z.output<typeof CassetteFile>

/** Returns the hash in keys and names of cassettes. Users commit them: it never changes. */
const hash = (it: unknown): string => createHash('sha256').update(stringifyJson(it)).digest('hex').slice(0, 24)

/** Returns the path of the cassette of a scenario. A name that is not only words gets a hash, so that paths differ. Users commit the files: the path of a name never changes. */
export function cassettePath(testsFolder: string, { name }: Pick<TestScenario, 'name'>): string {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60)
  const isWhole = /^[a-z0-9]+(?: [a-z0-9]+)*$/i.test(name) && name.length <= 60
  const file = isWhole ? words : [words, hash(name.toLowerCase()).slice(0, 8)].filter((it) => it !== '').join('-')
  return join(testsFolder, 'cassettes', `${file}.json`)
}

/** Reads a cassette; undefined if there is none. @throws ClientFailure `usage` for an invalid file */
export function readCassette(path: string): Cassette | undefined {
  if (!existsSync(path)) return undefined
  let value: unknown
  try {
    value = parseJson(readFileSync(path, 'utf8'))
  } catch (error) {
    throw usageError(`${path} is not valid JSON: ${(error as Error).message}.`, 'Record it again with --record.')
  }
  const read = CassetteFile.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw usageError(
    `${path} is not a cassette: ${issue?.path.length ? `${issue.path.join('.')}: ` : ''}${issue?.message}`,
    'Record it again with --record.',
  )
}

/** Creates an entry without secrets. */
export const toEntry = (
  { messages, tools = [] }: ModelQuestion,
  response: RecordedCompletion,
  latencyMs?: number,
): Cassette['entries'][number] => ({
  key: questionKey({ messages, tools }),
  messages: redactValue(messages) as Record<string, unknown>[],
  tools: redactValue(tools) as unknown[],
  response: {
    content: redactText(response.content),
    tool_calls: response.tool_calls.map((it) => ({ ...it, arguments: redactText(it.arguments) })),
  },
  ...(latencyMs !== undefined && { latency_ms: latencyMs }),
})

/** Returns what identifies a request: its messages and its tools, as they are recorded. */
export const questionKey = ({ messages, tools = [] }: ModelQuestion): string =>
  hash([redactValue(messages), redactValue(tools)])

/** Writes recorded responses as a whole, so that an interrupted run leaves the earlier file. Users commit it. */
export function writeCassette(path: string, cassette: Cassette): void {
  makeFolder(dirname(path))
  replaceFile(path, `${stringifyJson(cassette, null, 2)}\n`)
}

/** Describes why no recorded response fits a request: what differs from the recorded request at its place. */
export function staleReason({ entries }: Cassette, asked: ModelQuestion, position: number): string {
  const recorded = entries[position]
  if (!recorded)
    return `The model is asked more often than recorded: ${position + 1} requests, ${entries.length} ${entries.length === 1 ? 'response' : 'responses'}.`
  const question = toEntry(asked, { content: '', tool_calls: [] })
  if (stringifyJson(recorded.tools) !== stringifyJson(question.tools)) return 'The tools of the assistant changed.'
  for (const [n, now] of question.messages.entries()) {
    const before = recorded.messages[n]
    if (stringifyJson(before) === stringifyJson(now)) continue
    const what = now.role === 'system' ? 'The instructions' : `Message ${n} (${now.role})`
    const lines = textDifference(String(before?.content ?? ''), String(now.content ?? stringifyJson(now)))
    return [`${what} changed since the recording:`, ...lines].join('\n')
  }
  return 'The conversation is shorter than the recorded one.'
}

/** Returns the file names of the cassettes of a project. */
export function listRecordings(testsFolder: string): readonly string[] {
  const folder = join(testsFolder, 'cassettes')
  return existsSync(folder) ? readdirSync(folder).filter((it) => it.endsWith('.json')) : []
}

/** Returns the file names of the cassettes that no scenario uses. */
export function unusedRecordings(testsFolder: string, scenarios: readonly TestScenario[]): readonly string[] {
  const used = new Set(
    scenarios.filter((it) => it.model !== 'local').map((it) => basename(cassettePath(testsFolder, it))),
  )
  return listRecordings(testsFolder).filter((it) => !used.has(it))
}

/** A response of a model in the chat-completions protocol. */
interface RecordedCompletion {
  readonly content: string
  readonly tool_calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
}

type Fields = Readonly<Record<string, unknown>>
const fields = (it: unknown): Fields => (isObject(it) ? it : {})
const text = (it: unknown): string => (typeof it === 'string' ? it : '')

/** Returns the JSON of a response: its events if it is streamed. */
const partsOf = (body: string, isStream: boolean): readonly string[] =>
  isStream
    ? body
        .split(/\r?\n/)
        .flatMap((line) => (line.startsWith('data:') && !/^data:\s*\[DONE\]/.test(line) ? [line.slice(5)] : []))
    : [body]

/** Reads how many tokens a response has used; undefined if it does not say so. @throws Error for anything but a response */
export function readUsage(
  body: string,
  isStream: boolean,
): { readonly input: number; readonly output: number } | undefined {
  const given = partsOf(body, isStream).map((part) => fields(fields(parseJson(part)).usage))
  const { prompt_tokens: input, completion_tokens: output } =
    given.findLast((it) => it.prompt_tokens !== undefined) ?? {}
  return typeof input === 'number' && typeof output === 'number' ? { input, output } : undefined
}

/** Reads a response, streamed or whole. @throws Error for anything else */
export function readCompletion(body: string, isStream: boolean): RecordedCompletion {
  const parts = partsOf(body, isStream)
  let content = ''
  const calls = new Map<number, { id: string; name: string; arguments: string }>()
  for (const part of parts) {
    const event = fields(parseJson(part))
    const [first] = Array.isArray(event.choices) ? event.choices : []
    const delta = fields(fields(first).delta ?? fields(first).message)
    content += text(delta.content)
    for (const [n, call] of (Array.isArray(delta.tool_calls) ? delta.tool_calls : []).entries()) {
      const { index = n, id, function: called } = fields(call)
      const known = calls.get(Number(index)) ?? { id: '', name: '', arguments: '' }
      const given = fields(called)
      calls.set(Number(index), {
        id: text(id) || known.id,
        name: text(given.name) || known.name,
        arguments:
          known.arguments +
          (typeof given.arguments === 'object' ? stringifyJson(given.arguments) : text(given.arguments)),
      })
    }
  }
  return {
    content,
    tool_calls: [...calls].sort(([a], [b]) => a - b).map(([n, call]) => ({ ...call, id: call.id || `call_${n}` })),
  }
}

/** Returns a whole response with this content. */
export const toCompletionBody = ({ content, tool_calls }: RecordedCompletion): string =>
  stringifyJson({
    choices: [
      {
        index: 0,
        finish_reason: tool_calls.length > 0 ? 'tool_calls' : 'stop',
        message: {
          role: 'assistant',
          content,
          ...(tool_calls.length > 0 && {
            tool_calls: tool_calls.map(({ id, name, arguments: args }) => ({
              id,
              type: 'function',
              function: { name, arguments: args },
            })),
          }),
        },
      },
    ],
  })
