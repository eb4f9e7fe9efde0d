import { startPlatform } from 'parley-cli/platform'
import { createTest } from 'parley-cli/vitest'
import { describe, expect, test } from 'vitest'
import scenario from './scenario.cjs'

test('the platform works in vitest', () => scenario(startPlatform), 600_000)

const withPlatform = createTest({ seed: 7 })

describe('a shared platform', () => {
  withPlatform.for([1, 2])('has the data of the start in test %s', async (_, { platform }) => {
    expect((await platform.client.tools.list()).map((it) => it.id)).toContain(1)
    await platform.client.tools.delete({ id: 1 })
  })
})
