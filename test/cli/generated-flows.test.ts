import { test } from 'vitest'
import { generatedAreAccepted } from './flow-files.ts'

test('generated exports are accepted, or refused with the piece named', () => generatedAreAccepted(12))
