import { test } from 'node:test'
import { startPlatform } from 'parley-cli/platform'
import scenario from './scenario.cjs'

test('the platform works with the test runner of Node', () => scenario(startPlatform))
