import { simulate } from '../../../contract/control/simulate.ts'
import type { JobLoop } from '../../jobs/job-loop.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { findLatestOpenConversation } from '../../store/conversations/conversations.ts'
import { findLatestSid } from '../../store/messaging/channel-messages.ts'
import { clockHandlers } from '../handlers/clock.ts'
import { resolveAccount, targetNotFound } from './resolve-targets.ts'
import { createSimulations } from './simulations.ts'

type Handlers = HandlersOf<typeof simulate>
type Step = Parameters<Handlers['run']>[0]['steps'][number]

/** Returns the endpoints of the resource with their handlers. */
export const simulateResource = (deps: Deps & { readonly due: JobLoop }): LoadedResource =>
  loadedResource(simulate, simulateHandlers(deps))

/**
 * Creates the handlers of the control API for simulations: single ones, and scenarios in which time passes between
 * steps.
 */
export function simulateHandlers(deps: Deps & { readonly due: JobLoop }): Handlers {
  const single = createSimulations(deps)
  const clock = clockHandlers(deps)
  const { connection } = deps

  /** Returns the SID of the account's most recent channel message. */
  async function lastMessage(account: number): Promise<string> {
    const sid = await findLatestSid(connection.read, account)
    if (sid === undefined) throw targetNotFound('message')
    return sid
  }
  async function lastConversation(account: number): Promise<string> {
    const uuid = await findLatestOpenConversation(connection.read, account)
    if (uuid === undefined) throw targetNotFound('conversation')
    return uuid
  }

  async function runStep(
    step: Step,
    account: number,
    caller: Parameters<Handlers['run']>[1],
  ): Promise<{ step: string; message: string; data: unknown }> {
    if (step.advance !== undefined) {
      const { now, done } = await clock.advance({ by: step.advance }, caller)
      return { step: 'advance', message: `Clock set to ${now}.`, data: { now, done } }
    }
    const [name, body] = Object.entries(step)[0] as [
      Exclude<keyof Step, 'advance'>,
      { account?: number; message_sid?: string; conversation?: string },
    ]
    const input = {
      account,
      ...body,
      ...(body.message_sid === 'last' && { message_sid: await lastMessage(body.account ?? account) }),
      ...(body.conversation === 'last' && { conversation: await lastConversation(body.account ?? account) }),
    }
    const { message, data } = await (
      single[name] as (input: object, by: typeof caller) => Promise<{ message: string; data: unknown }>
    )(input, caller)
    // Jobs that a step causes are finished before the next step.
    await deps.due.drain()
    return { step: name, message, data }
  }

  return {
    ...single,
    async run({ account, steps }, caller) {
      const { id } = await resolveAccount(connection.read, account)
      const done = []
      for (const step of steps) done.push(await runStep(step, id, caller))
      return { message: `Steps run: ${done.length}.`, data: { steps: done } }
    },
  }
}
