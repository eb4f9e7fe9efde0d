import { expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { operator } from '../../../support/operator.ts'

test('messaging list shows what was sent, newest first, by status, recipient and sender, on a Parley server', async () => {
  const by = operator()
  const before = (await by.json('messaging list --all')).length
  for (const to of ['+14155550142', '+14155550143', '+14155550144'])
    expect(
      await by.run(
        `messaging send --sender 1 --template appointment_reminder --to ${to} --var 1=Anna --var appointment_day=Monday --yes`,
      ),
    ).toMatchObject({ exitCode: 0 })
  const rows = await by.json('messaging list --limit 3')
  expect(rows.length).toBeGreaterThan(0)
  const ids = rows.map((it: { id: number }) => it.id)
  expect(ids).toEqual([...ids].sort((a, b) => b - a))
  expect(rows[0]).toMatchObject({
    sender_id: 1,
    template_id: expect.any(Number),
    error: null,
    body: expect.any(String),
  })
  const all = await by.json('messaging list --all')
  expect(all.length).toBeGreaterThan(before)
  const of = async (flags: string) => (await by.json(`messaging list --all ${flags}`)).length
  let total = 0
  for (const status of ['sending', 'queued', 'sent', 'delivered', 'read', 'failed', 'undelivered'])
    total += await of(`--status ${status}`)
  expect(total).toBe(all.length)
  expect(await of(`--recipient-phone ${rows[0].recipient_phone}`)).toBeGreaterThan(0)
  expect(await of('--date-to 2020-01-01')).toBe(0)
  expect(await by.run('messaging list --sender 99')).toMatchObject({ exitCode: 4 })
  expect(await by.run('messaging list', { through: notParleyServer })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('does not have the capability "messaging-list"'),
  })
})
