import { clock } from '../../contract/control/clock.ts'
import { events } from '../../contract/control/events.ts'
import { simulate } from '../../contract/control/simulate.ts'
import { calls as callEndpoints } from '../../contract/resources/calls.ts'
import { conversations } from '../../contract/resources/conversations.ts'
import {
  type ChannelContext,
  type Conversation,
  type Ending,
  type Exchange,
  isEndedByAssistant,
} from './conversation-run.ts'
import { ownNumber, senderNumber } from './sample-account.ts'
import type { TestPlatform } from './test-platform.ts'

/** Opens a conversation on the channel of a scenario. */
export function openConversation(context: ChannelContext): Promise<Conversation> {
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

const reasons: Readonly<Record<string, string>> = {
  ended_by_assistant: 'assistant',
  ended_by_customer: 'customer',
  completed: 'customer',
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
      return { reason: reasons[row?.status ?? ''] ?? row?.status ?? 'failed', variables: row?.evaluation ?? {} }
    },
  }
}
