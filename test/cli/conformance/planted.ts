import { inAnswers } from './planted-answers.ts'
import { inEffects } from './planted-effects.ts'
import type { Planted } from './planting.ts'

/** Drifts of a platform, of every kind and over all resources; no two of a group are about the same endpoint. */
export const groups: Readonly<Record<string, readonly Planted[]>> = { ...inAnswers, ...inEffects }
