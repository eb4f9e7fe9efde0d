import type { Call, Client } from '../../../../client/create-client.ts'
import { readAllItems } from '../../../../client/read-all-pages.ts'
import { clock } from '../../../../contract/control/clock.ts'
import { events } from '../../../../contract/control/events.ts'
import { simulate } from '../../../../contract/control/simulate.ts'
import { type Assistant, assistants } from '../../../../contract/resources/assistants.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { calls as callEndpoints } from '../../../../contract/resources/calls.ts'
import { conversations } from '../../../../contract/resources/conversations.ts'
import { user } from '../../../../contract/resources/user.ts'
import { endReasons } from '../../../nouns/calls/recorded-call.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { checkOutcome, checkReplies, type Finding } from '../check-run.ts'
import { judgeConversation, noModel } from '../model/judge.ts'
import { type AskModel, type Line, simulateCustomer } from '../model/simulated-customer.ts'
import {
  type ChannelContext,
  type Conversation,
  type Ending,
  type Exchange,
  isEndedByAssistant,
} from './conversation-run.ts'
import { ownNumber, senderNumber } from './sample-account.ts'
import { remoteUnknown, type ScenarioExpectations, type TestScenario } from './scenario-schema.ts'
import type { TestPlatform } from './test-platform.ts'

/** Opens a conversation on the channel of a scenario. */
function openConversation(context: ChannelContext): Promise<Conversation> {
  const { channel } = context.scenario
  return channel === 'messaging' ? openMessaging(context) : channel === 'call' ? openCall(context) : openChat(context)
}

async function openChat({ call, platform, scenario, assistant, signal }: ChannelContext): Promise<Conversation> {
  const type = scenario.channel === 'call' ? 'test' : scenario.type
  // Test conversations are free (section 4.9).
  const options = { signal, ...(type === 'test' && { priceUsd: 0 }) }
  const { conversation_id: uuid, history } = await call(
    conversations.create,
    { assistant_id: assistant.uuid, type, variables: scenario.variables },
    { signal },
  )
  return {
    greeting: history.at(-1)?.content ?? '',
    async send(text) {
      const { message, function_calls } = await call(conversations.send, { uuid, message: text }, options)
      return { say: text, reply: message, calls: function_calls }
    },
    async end(exchanges) {
      const reason = exchanges.some(isEndedByAssistant) ? 'assistant' : 'open'
      return platform ? { reason, variables: await endLocally(platform, uuid) } : { reason, variables: undefined }
    },
  }
}

/** Ends a conversation and returns the variables that were extracted from it. */
async function endLocally({ call, runJobs }: TestPlatform, uuid: string): Promise<Ending['variables']> {
  await call(simulate.end, { conversation: uuid })
  await runJobs()
  const { data } = await call(events.list, { kind: 'conversation.ended', limit: 100 })
  const ended = data.map((it) => it.payload as Ended).findLast((it) => it.conversation_id === uuid)
  return ended?.extracted_variables
}

interface Ended {
  readonly conversation_id: string
  readonly extracted_variables: Readonly<Record<string, unknown>>
}

async function openMessaging({ call, platform, scenario }: ChannelContext): Promise<Conversation> {
  const local = platform as TestPlatform
  let uuid: string | undefined
  return {
    greeting: '',
    async send(text) {
      const before = uuid === undefined ? 0 : (await call(conversations.get, { uuid })).history.length
      const { data } = await call(simulate.message, { sender: senderNumber, from: scenario.phone, text })
      uuid = data.conversation_id
      await local.runJobs()
      const { history } = await call(conversations.get, { uuid })
      const replies = history.slice(before).filter((it) => it.role === 'assistant')
      return {
        say: text,
        reply: replies.map((it) => it.content).join('\n\n'),
        calls: replies.flatMap((it) => it.function_calls ?? []),
      }
    },
    async end(exchanges) {
      const reason = exchanges.some(isEndedByAssistant) ? 'assistant' : 'open'
      return { reason, variables: uuid === undefined ? undefined : await endLocally(local, uuid) }
    },
  }
}

/** The replies of a call are those of a chat; the carrier then plays the whole call, which is billed and evaluated. */
async function openCall(context: ChannelContext): Promise<Conversation> {
  const { call, platform, scenario, assistant } = context
  const chat = await openChat(context)
  return {
    ...chat,
    async end(exchanges: readonly Exchange[]) {
      const { direction, ends } = scenario.call
      const status =
        ends === 'customer' ? (exchanges.some(isEndedByAssistant) ? 'ended_by_assistant' : 'ended_by_customer') : ends
      const turns = exchanges.flatMap(({ say, reply }) => [
        { customer: say },
        ...(reply === '' ? [] : [{ assistant: reply }]),
      ])
      const { data } = await call(simulate.call, {
        direction,
        assistant: assistant.id,
        phone_number: scenario.phone,
        ...(direction === 'inbound' ? { to: ownNumber } : { variables: scenario.variables }),
        turns,
        status,
      })
      await call(clock.advance, { by: '30m' })
      await platform?.runJobs()
      const row = data.id === null ? undefined : await call(callEndpoints.get, { id: data.id })
      return { reason: endReasons[row?.status ?? ''] ?? row?.status ?? 'failed', variables: row?.evaluation ?? {} }
    },
  }
}

/** One run of a scenario. */
export interface ScenarioRun {
  readonly exchanges: readonly Exchange[]
  readonly findings: readonly Finding[]
  readonly variables: Readonly<Record<string, unknown>> | undefined
  readonly endReason: string
  readonly costUsd: number | null
  /** What of the project the local platform has not, a sentence each. */
  readonly replaced?: readonly string[]
  /** Names of the automations that ran. */
  readonly automations: readonly string[]
}

/** What a scenario runs on. */
interface RunTarget {
  readonly context: Context
  readonly call: Client
  /** Undefined on a remote deployment. */
  readonly platform: TestPlatform | undefined
  /** Asks the model for the customer and the judge; undefined without a model. */
  readonly ask: AskModel | undefined
  readonly signal: AbortSignal
  /** Milliseconds that a recorded model took so far; undefined for others, whose latency is measured. */
  readonly recordedMs: (() => number | undefined) | undefined
}

/** Runs a scenario once and checks its expectations. @throws ClientFailure `usage` for an unknown assistant */
export async function runScenario(scenario: TestScenario, target: RunTarget): Promise<ScenarioRun> {
  const { call, platform, ask, signal, context, recordedMs } = target
  const all: readonly Assistant[] = await readAllItems(call as Call, assistants.list, {}, { signal })
  const assistant = all.find((it) => it.name === scenario.assistant)
  if (!assistant)
    throw usageError(
      `${scenario.locate('assistant')}: assistant: there is no assistant "${scenario.assistant}".`,
      `Assistants: ${all.map((it) => it.name).join(', ')}.`,
    )
  const balance = async (): Promise<number> => Number((await call(user.me, {}, { signal })).total_balance)
  const before = platform ? await balance() : 0
  const conversation = await openConversation({ call, platform, scenario, assistant, signal })
  const exchanges: Exchange[] = []
  const findings: Finding[] = []
  const send = async (text: string): Promise<Exchange> => {
    const startedAt = recordedMs?.() ?? context.system.now()
    const answered = await conversation.send(text)
    const exchange = { ...answered, latencyMs: Math.round((recordedMs?.() ?? context.system.now()) - startedAt) }
    exchanges.push(exchange)
    return exchange
  }
  let hasReplied = true
  try {
    if (scenario.customer?.by === 'model' && !ask)
      findings.push({ turn: null, expectation: 'customer (by a model)', expected: 'a message', happened: noModel })
    else if (scenario.customer) await converse(scenario, conversation, { ask, exchanges, send })
    else
      for (const [n, { say, expect }] of scenario.turns.entries()) {
        const exchange = await send(say)
        if (expect) findings.push(...checkReplies(checkable(expect, target), [exchange], n + 1))
        if (!isEndedByAssistant(exchange) || n === scenario.turns.length - 1) continue
        const left = scenario.turns[n + 1]?.say ?? ''
        findings.push({
          turn: n + 2,
          expectation: 'turns',
          expected: left,
          happened: 'The assistant ended the conversation.',
        })
        break
      }
  } catch (error) {
    const { message, code } = error as { readonly message: string; readonly code?: string }
    if (signal.aborted || code === 'usage') throw error
    hasReplied = false
    // A reply that fails is a result of the test, not of the command.
    findings.push({ turn: exchanges.length + 1, expectation: 'reply', expected: 'a reply', happened: message })
  }
  const { reason: endReason, variables } = await conversation.end(exchanges)
  const costUsd = platform ? Math.max(0, Math.round((before - (await balance())) * 1e6) / 1e6) : null
  findings.push(...checkOutcome(checkable(scenario.expect, target), { exchanges, variables, endReason, costUsd }))
  // Without a reply there is nothing to judge, and a model that does not answer would be waited for again.
  if (scenario.expect.judge !== undefined && hasReplied && exchanges.length > 0)
    findings.push(...(await judgeConversation(scenario.expect.judge, exchanges, ask)))
  return { exchanges, findings, variables, endReason, costUsd, automations: await startedAutomations(platform) }
}

/** Returns the expectations that can be checked: a deployment does not report some, and the local model has no latency. */
function checkable<T extends ScenarioExpectations>(expected: T, { platform, ask }: RunTarget): T {
  const checked = { ...expected }
  if (!platform) for (const name of remoteUnknown) delete checked[name]
  else if (!ask) delete checked.max_latency_ms
  return checked
}

interface Talk {
  readonly ask: AskModel | undefined
  readonly exchanges: readonly Exchange[]
  readonly send: (text: string) => Promise<Exchange>
}

/** Lets the simulated customer talk until it, or the assistant, ends the conversation. */
async function converse(
  { customer }: TestScenario,
  { greeting }: Conversation,
  { ask, exchanges, send }: Talk,
): Promise<void> {
  if (!customer) return
  const next = simulateCustomer(customer, ask)
  for (;;) {
    const lines: Line[] = [
      ...(greeting === '' ? [] : [['assistant', greeting] as const]),
      ...exchanges.flatMap((it) => [['customer', it.say] as const, ['assistant', it.reply] as const]),
    ]
    const text = await next(lines)
    if (text === undefined || isEndedByAssistant(await send(text))) return
  }
}

/** Returns the names of the automations that have run on a temporary platform. */
async function startedAutomations(platform: TestPlatform | undefined): Promise<string[]> {
  if (!platform) return []
  const { data } = await platform.call(automate.list, {})
  const started: string[] = []
  for (const { id, name } of data)
    if (
      ((await platform.call(automate.runs, { id, limit: 1 })) as { readonly runs: readonly unknown[] }).runs.length > 0
    )
      started.push(name)
  return started
}
