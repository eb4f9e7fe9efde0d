import { expect, onTestFinished, test } from 'vitest'
import { type StartOptions, startPlatform, type TestPlatform } from '../../../../src/platform.ts'

async function started(options: StartOptions): Promise<TestPlatform> {
  const platform = await startPlatform(options)
  onTestFinished(() => platform.close())
  return platform
}

type Account = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
type Data = { readonly version: 1; readonly accounts: readonly Account[] }

const exported = async (platform: TestPlatform, query = ''): Promise<Data> =>
  ((await platform.control('GET', `export${query}`)) as { data: Data }).data

const clock = '2027-03-01T09:00:00Z'

test.each(['', '?include_secrets=true'])('export, seed and export give the same data (%s)', async (query) => {
  const first = await exported(await started({ seed: 7, clock }), query)
  expect(first.accounts[0]).toMatchObject({
    name: 'Northwind Dental',
    assistants: [{ name: 'Front desk', folder_id: 'Front desk', knowledgebase_id: 'Practice handbook' }, {}],
    conversations: expect.arrayContaining([expect.objectContaining({ assistant_id: 'Front desk' })]),
  })
  const second = await started({ seed: 8, clock: '2027-03-02T09:00:00Z', data: first })
  expect(await exported(second, query)).toEqual(first)
  await second.reset()
  expect(await exported(second, query)).toEqual(first)
})
