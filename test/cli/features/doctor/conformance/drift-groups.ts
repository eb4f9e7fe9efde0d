import type { Planted } from './drifting-platform.ts'
import { inEffects } from './effect-drifts.ts'
import { inAnswers } from './response-drifts.ts'

/** Drifts of a platform, of every kind and over all resources; no two of a group are about the same endpoint. */
export const groups: Readonly<Record<string, readonly Planted[]>> = { ...inAnswers, ...inEffects }

/** A group of drifts in refusals, and one in what a write leaves behind. check-conformance.test.ts has drifts in the shape of answers. */
export const quickGroups: readonly string[] = ['the written value']
