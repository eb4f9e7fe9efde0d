import type { Client } from '../../../../client/create-client.ts'
import { functionNames } from '../../../../contract/assistants/function-names.ts'
import type { CalledFunction } from '../../../nouns/conversations/scenario-from-transcript.ts'
import type { TestScenario } from './scenario-schema.ts'
import type { TestPlatform } from './test-platform.ts'

/** A message of the customer and the reply to it. */
export interface Exchange {
  readonly say: string
  /** Empty while AI replies are disabled. */
  readonly reply: string
  readonly calls: readonly CalledFunction[]
  readonly latencyMs: number
}

/** How a conversation ended, as far as the platform tells. */
export interface Ending {
  /** Compared with `end_reason` of a scenario, whose words are `endReasons` (scenario-schema.ts). */
  readonly reason: string
  /** Undefined where the platform does not return them. */
  readonly variables: Readonly<Record<string, unknown>> | undefined
}

/** An open conversation with the assistant of a scenario. */
export interface Conversation {
  readonly greeting: string
  send(text: string): Promise<Omit<Exchange, 'latencyMs'>>
  /** Ends the conversation. `exchanges` is what was said. */
  end(exchanges: readonly Exchange[]): Promise<Ending>
}

/** What a channel needs to open a conversation. */
export interface ChannelContext {
  readonly call: Client
  /** Undefined on a remote deployment. */
  readonly platform: TestPlatform | undefined
  readonly scenario: TestScenario
  readonly assistant: { readonly id: number; readonly uuid: string; readonly name: string }
  readonly signal: AbortSignal
}

/** Returns whether the assistant ended the conversation in a reply. */
export const isEndedByAssistant = ({ calls }: Pick<Exchange, 'calls'>): boolean =>
  calls.some((it) => it.name === functionNames.end && it.result.error === undefined)
