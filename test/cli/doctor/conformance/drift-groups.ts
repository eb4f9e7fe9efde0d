import type { Planted } from './drifting-platform.ts'
import { inEffects } from './effect-drifts.ts'
import { inAnswers } from './response-drifts.ts'

/** Drifts of a platform, of every kind and over all resources; no two of a group are about the same endpoint. */
export const groups: Readonly<Record<string, readonly Planted[]>> = { ...inAnswers, ...inEffects }

/** Groups with a drift of each kind: in the shape of an answer, in a refusal, and in what a write leaves behind. */
export const quickGroups: readonly string[] = ['shapes and types', 'statuses and refusals', 'the written value']
