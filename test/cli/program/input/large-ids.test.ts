import { describe, expect, test } from 'vitest'
import { withLargeIds, withLargeTextIds } from '../../../support/large-ids.ts'
import { operator } from '../../../support/operator.ts'

const [first, second, third] = ['9007199254740993', '9007199254740994', '9007199254740995']

describe.each([
  ['numbers', withLargeIds],
  ['texts', withLargeTextIds],
])('ids above 2^53 that are %s', (_, through) => {
  test('attach and detach tools of an assistant', async () => {
    const by = operator()
    const toolIds = async (): Promise<string> =>
      (await by.run(`assistants get ${first} --json --fields tool_ids`, { through })).stdout.replaceAll(/["\s]/g, '')
    const update = (flags: string) => by.run(`assistants update ${first} ${flags}`, { through })
    expect(await toolIds()).toBe(`{tool_ids:[${first},${second},${third}]}`)
    expect(await update(`--add-tool ${second}`)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('No changes'),
    })
    expect(await update(`--remove-tool ${second}`)).toMatchObject({ exitCode: 0 })
    expect(await toolIds()).toBe(`{tool_ids:[${first},${third}]}`)
  })
})
