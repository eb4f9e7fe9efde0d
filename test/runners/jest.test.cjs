const { usePlatform } = require('parley-cli/jest')
const { startPlatform } = require('parley-cli/platform')
const scenario = require('./scenario.cjs')

test('the platform works in Jest', () => scenario(startPlatform), 600_000)

describe('a shared platform', () => {
  const platform = usePlatform({ seed: 7 })

  test.each([1, 2])('has the data of the start in test %s', async () => {
    expect((await platform.client.tools.list()).map((it) => it.id)).toContain(1)
    await platform.client.tools.delete({ id: 1 })
  })
})
