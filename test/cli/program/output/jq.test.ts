import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

test('--jq filters a list and a record as jq does, with texts without quotes', async () => {
  const by = operator()
  const names = await by.run('keys list --jq .[].name')
  expect([names.exitCode, names.stdout]).toEqual([0, 'local\nci\ndashboard\n'])
  expect((await by.run("keys list --jq '.[] | select(.id > 2) | {name} # the last'")).stdout).toBe(
    '{"name":"dashboard"}\n',
  )
  expect((await by.run('keys list --fields id --jq .[0]')).stdout).toBe('{"id":1}\n')
  expect((await by.run('keys list -o ndjson --jq .id')).stdout).toBe('1\n2\n3\n')
  expect((await by.run('tools get 1 --jq .name')).stdout).toBe('lookup_patient\n')
  expect((await by.run('keys list --jq empty')).stdout).toBe('')
})

test('an invalid --jq expression, and a format that is not JSON, are refused before a write is sent', async () => {
  const by = operator()
  const refusal = async (flags: string): Promise<readonly unknown[]> => {
    const { exitCode, stderr } = await by.run(`keys create --name laptop ${flags}`)
    return [exitCode, stderr.replaceAll('\\"', '"')]
  }
  expect(await refusal("--jq '.['")).toEqual([
    2,
    expect.stringContaining('".[": syntax error, unexpected end of file.'),
  ])
  expect(await refusal("--jq '.id | nope'")).toEqual([2, expect.stringContaining('nope/0 is not defined.')])
  expect(await refusal('--jq .id -o csv')).toEqual([2, expect.stringContaining('--jq and --output csv')])
  expect(await by.json('keys list')).toHaveLength(3)
})

test('an expression that fails on the result of a write says that the write was made', async () => {
  const by = operator()
  const { exitCode, stderr } = await by.run("tools update 1 --tool-timeout 20 --jq '.name.x'")
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('"parley tools update\\" succeeded')])
  expect((await by.json('tools get 1')).timeout).toBe(20)
})
