import { startPlatform } from 'npm:parley-cli/platform'
import scenario from './scenario.cjs'

Deno.test('the platform works in Deno', () => scenario(startPlatform))
