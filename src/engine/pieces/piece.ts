import type * as z from 'zod'
import type { JsonObject } from '../definition/node.ts'
import type { ConnectionKind } from './ports.ts'
import type { StepContext, StepOutcome } from './step-context.ts'

/** Action of a piece. */
export interface Action<I = unknown> {
  /** Title for users. */
  readonly title: string
  /** Input for the reference. A test runs it. */
  readonly example: JsonObject
  /** Schema of the resolved input. Texts are converted to numbers and lists where the schema needs them. */
  readonly input: z.ZodType<I>
  /**
   * Whether it sends messages or places calls, directly or indirectly: a test run does so for real (section 4.17). A
   * function receives the unresolved input.
   */
  readonly hasSideEffects?: boolean | ((input: JsonObject) => boolean)
  /** Whether it changes external data without sending anything. It needs no confirmation, but users are informed. */
  readonly changesExternalData?: true
  /** Connection that the action requires. */
  readonly connection?: ConnectionKind
  /** Resource of the platform that it changes, in the form of command lines. A key for other resources cannot run it. */
  readonly resource?: string
  /**
   * Whether it computes its output from its input alone, or only sets the response of the run. Other actions count as having
   * effects outside: a retry asks before it runs them again.
   */
  readonly isInternal?: true
  readonly run: (input: I, context: StepContext) => Promise<StepOutcome>
}

/** What starts runs of a trigger. Rows of versions have these words: they never change. */
export type TriggerKind = 'webhook' | 'event' | 'schedule' | 'external' | 'call'

/** Trigger that starts an automation. */
export interface Trigger {
  readonly title: string
  /** Input for the reference. A test runs it. */
  readonly example: JsonObject
  readonly kind: TriggerKind
  readonly input: z.ZodType
  /** Event slot of the assistant that the trigger uses (section 6.3). */
  readonly binding?: 'post_call' | 'inbound' | 'conversation'
  readonly connection?: ConnectionKind
}

/** A group of actions and triggers. Registered in `registry.ts`; definitions refer to it by any of its names. */
export interface Piece {
  /** Names of its package without the scope, the neutral one first. */
  readonly names: readonly string[]
  readonly actions: Readonly<Record<string, Action<never>>>
  readonly triggers: Readonly<Record<string, Trigger>>
}

/** Declares an action of a piece, with its input typed by its schema. */
export const action = <I>(it: Action<I>): Action<never> => it as unknown as Action<never>

/** Returns the outcome of a completed step. */
export const done = (output: unknown): StepOutcome => ({ kind: 'done', output })
