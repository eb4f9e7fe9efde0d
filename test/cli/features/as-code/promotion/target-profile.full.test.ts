import { test } from 'vitest'
import { expectWritesWherePrinted } from './fuzzed-invocations.ts'

const seed = Number(process.env.PARLEY_TEST_SEED ?? Math.floor(Math.random() * 1e6))

test(
  `a command writes only to the profile that it printed (1000 invocations, seed ${seed})`,
  () => expectWritesWherePrinted(1000, seed),
  900_000,
)
