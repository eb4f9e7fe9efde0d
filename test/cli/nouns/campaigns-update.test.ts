import { expect, test } from 'vitest'
import { notParleyServer } from '../../support/altered-responses.ts'
import { operator } from '../../support/operator.ts'

test('campaigns update changes a draft by name, is undone, and requires a Parley server', async () => {
  const by = operator()
  await by.run('campaigns create --name Spring --assistant Recall')
  const before = await by.json('campaigns get Spring')
  expect(await by.run('campaigns update Spring --max-retries 2', { through: notParleyServer })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('does not have the capability "campaign-update"'),
  })
  expect(await by.json('campaigns update Spring --max-retries 2 --assistant 1 --set-json timezone=null')).toMatchObject(
    {
      max_retries: 2,
      assistant_id: 1,
      retry_interval: before.retry_interval,
    },
  )
  const [{ entry }] = await by.json('history list')
  expect(await by.run(`history undo ${entry} --yes`)).toMatchObject({ exitCode: 0 })
  expect(await by.json('campaigns get Spring')).toMatchObject({ max_retries: before.max_retries, assistant_id: 2 })
})

test('campaigns update names what cannot be changed, and why', async () => {
  const by = operator()
  await by.run('campaigns create --name Spring --assistant Recall')
  const refused = async (flags: string) => by.run(`campaigns update Spring ${flags}`)
  expect(await refused('')).toMatchObject({ exitCode: 2 })
  expect(await refused('--set channel=sms')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('channel') })
  expect(await refused('--set-json assistant_id=null')).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining('assistant id field is required when channel is call'),
  })
  expect(await refused('--fallback-channel sms')).toMatchObject({
    stderr: expect.stringContaining('fallback sms body field is required'),
  })
  expect(await refused('--template 1')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--sender') })
  await by.run('leads create --campaign Spring --phone-number +14155550142')
  expect(await by.run('campaigns start Spring --yes')).toMatchObject({ exitCode: 0 })
  expect(await refused('--max-retries 2')).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('cannot be changed while it is in-progress'),
  })
})
