import { test } from 'vitest'
import { generatedAreAccepted } from './flow-files.ts'

test('two hundred generated exports are accepted, or refused with the piece named', () => generatedAreAccepted(200))
