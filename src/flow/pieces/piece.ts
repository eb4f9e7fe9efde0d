import type * as z from 'zod'
import type { JsonObject } from '../definition/node.ts'
import type { ConnectionKind, StepContext, StepOutcome } from './ports.ts'

/** Something a piece does. */
export interface Action<I = unknown> {
  /** What it does, for people. */
  readonly title: string
  /** Its input once resolved. Texts become numbers and lists where those are asked for. */
  readonly input: z.ZodType<I>
  /** Whether it sends, calls, or makes somebody else do so: a test run does it for real (specification 4.17). Asked with the input as it was written. */
  readonly hasSideEffects?: boolean | ((input: JsonObject) => boolean)
  /** Whether it changes something elsewhere although it sends nothing to anybody: no confirmation is asked for, and people are told. */
  readonly changesExternalData?: true
  /** The connection it cannot do without. */
  readonly connection?: ConnectionKind
  /** Whether it only says what the run answers: it touches nothing outside. */
  readonly isInternal?: true
  readonly run: (input: I, context: StepContext) => Promise<StepOutcome>
}

export type TriggerKind = 'webhook' | 'event' | 'schedule' | 'external'

/** Something that starts an automation. */
export interface Trigger {
  readonly title: string
  readonly kind: TriggerKind
  readonly input: z.ZodType
  /** Slot of the assistant it takes (section 6.3). */
  readonly binding?: 'post_call' | 'inbound' | 'conversation'
  readonly connection?: ConnectionKind
}

export interface Piece {
  /** Names of its package without the scope, the neutral one first. */
  readonly names: readonly string[]
  readonly actions: Readonly<Record<string, Action<never>>>
  readonly triggers: Readonly<Record<string, Trigger>>
}

/** An action of a piece, its input typed by its schema. */
export const action = <I>(it: Action<I>): Action<never> => it as unknown as Action<never>

export const done = (output: unknown): StepOutcome => ({ kind: 'done', output })
