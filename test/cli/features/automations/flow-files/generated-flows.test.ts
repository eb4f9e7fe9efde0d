import { test } from 'vitest'
import { generatedAreAccepted } from './accept-flow.ts'

test('generated exports are accepted, or refused with the name of the piece', () => generatedAreAccepted(12))
