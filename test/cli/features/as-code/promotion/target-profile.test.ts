import { test } from 'vitest'
import { expectWritesWherePrinted } from './fuzzed-invocations.ts'

const seed = Number(process.env.PARLEY_TEST_SEED ?? 17)

test(
  `a command writes only to the profile that it printed (40 invocations, seed ${seed})`,
  () => expectWritesWherePrinted(40, seed),
  60_000,
)
