import { test } from 'bun:test'
import { startPlatform } from 'parley-cli/platform'
import scenario from './scenario.cjs'

test('the platform works in Bun', () => scenario(startPlatform), 600_000)
