import { afterAll } from 'vitest'
import '../../src/cli/resources.ts'
import '../../src/cli/tree.ts'
import { cleanUpFile } from './cleanup.ts'

// Runs before every test file. The hooks of the file run first.
afterAll(cleanUpFile)
