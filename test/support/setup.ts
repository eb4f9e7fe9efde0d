import { tmpdir } from 'node:os'
import { afterAll } from 'vitest'
import '../../src/cli/resources.ts'
import '../../src/cli/tree.ts'
import { cleanUpFile } from './cleanup.ts'

// The databases of `startPlatform` are copied from a template of this run, as those of the built program are from one of the user.
Object.assign(globalThis, { PARLEY_SCHEMA: 'tests' })
process.env.PARLEY_CACHE_DIR ??= tmpdir()

// Runs before every test file. The hooks of the file run first.
afterAll(cleanUpFile)
