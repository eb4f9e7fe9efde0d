import { startPlatform } from 'parley-cli/platform'
import { test } from 'vitest'
import scenario from './scenario.cjs'

test('the platform works in vitest', () => scenario(startPlatform), 600_000)
