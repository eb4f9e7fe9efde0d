import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

test('advancing the clock says by how much it is ahead in words, and names what was done as lists do', async () => {
  const by = operator({ supports: 'neutral' })
  await by.run('server simulate message --sender 1 --from +14155550142 --text Hello')
  const ids = (await by.json('conversations list --all')).map((it: { id: string }) => it.id)
  const { stdout, stderr } = await by.run('server clock advance 40d')
  expect(stdout).toMatch(/\nOffset\t40 days ahead of real time\n/)
  const ended = [...stderr.matchAll(/end of conversation (\S+) after silence/g)].map(([, id]) => id)
  expect(ended.length).toBeGreaterThan(0)
  expect(ids).toEqual(expect.arrayContaining(ended))
  expect(await by.json('server clock get')).toMatchObject({ offset_seconds: 40 * 86_400 })
  await by.run('server clock resume')
  expect((await by.run('server clock get')).stdout).toMatch(/Offset\tnone\n/)
})

test('the next leads of a campaign are named by the campaign', async () => {
  const by = operator({ supports: 'neutral' })
  const [{ id, name }] = await by.json('campaigns list --filter channel=call')
  await by.run(`campaigns start ${id} --yes`)
  const { stderr } = await by.run('server clock advance 3d')
  expect(stderr).toContain(`next leads of campaign "${name}" (${id})`)
})

test('the failed delivery of the sample data was retried as documented: after 30, 60 and 120 seconds', async () => {
  const by = operator({ supports: 'neutral' })
  const { data = undefined, tries } = await by.json('server deliveries get 1')
  const times = (tries ?? data.tries).map(({ at }: { at: string }) => Date.parse(at))
  expect(times.slice(1).map((at: number, n: number) => (at - times[n]) / 1000)).toEqual([30, 60, 120])
})
