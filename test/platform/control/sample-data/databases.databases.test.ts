import { describe, expect, onTestFinished, test } from 'vitest'
import { type SampleData, startPlatform } from '../../../../src/platform.ts'
import { databases } from '../../../support/databases.ts'

describe.each(databases)('on $name', ({ target }) => {
  test('exported data can be loaded, and is the same then', async () => {
    const place = await target()
    const options = { clock: '2027-03-01T09:00:00Z', seed: 7 }
    const source = await startPlatform(options)
    onTestFinished(() => source.close())
    const { data } = (await source.control('GET', 'export')) as { data: SampleData }
    const loaded = await startPlatform({ ...options, data, ...('url' in place && { database: place.url }) })
    onTestFinished(() => loaded.close())
    expect(((await loaded.control('GET', 'export')) as { data: SampleData }).data).toEqual(data)
  })
})
