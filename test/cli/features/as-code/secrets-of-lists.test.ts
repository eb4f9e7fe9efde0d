import { describe, expect, test } from 'vitest'
import { type Operator, operator } from '../../../support/operator.ts'
import { change, writes } from './code-folder.ts'

const recall = 'assistants/recall.yaml'
const calendar = (slug: string, key: string) => ({
  type: 'calendar_integration',
  calendar_type: 'cal_a',
  cal_a_api_key: key,
  cal_a_event_slug: slug,
})

/** An account with two calendars of one type, and its folder, in which the keys are masks. */
const twoCalendars = async (): Promise<Operator> => {
  const by = operator()
  const tools = JSON.stringify([calendar('visit', 'key-of-visit'), calendar('cleaning', 'key-of-cleaning')])
  expect(await by.run(['assistants', 'update', '2', '--tools', tools])).toMatchObject({ exitCode: 0 })
  await by.run('pull')
  return by
}
const masked = (by: Operator) => {
  for (let n = 0; n < 2; n++) change(by, recall, /cal_a_api_key: \$\{\w+\}/, 'cal_a_api_key: ••• hidden')
}
const keys = async (by: Operator): Promise<string[]> =>
  (await by.json('assistants get 2 --unmask')).tools.map((it: ReturnType<typeof calendar>) => it.cal_a_api_key)

describe('masks in lists with entries of the same type', () => {
  test('get the secret of the entry that is equal otherwise', async () => {
    const by = await twoCalendars()
    masked(by)
    change(by, recall, / {2}- type: calendar_integration(?:.*\n)*?.*endpoint: us\n/, '')
    expect(await by.run('push')).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('error') })
    expect(await keys(by)).toEqual(['key-of-cleaning'])
  })

  test('are refused if the entry was changed', async () => {
    const by = await twoCalendars()
    masked(by)
    change(by, recall, 'cal_a_event_slug: cleaning', 'cal_a_event_slug: hygiene')
    const refused = await by.run('push')
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('tools.1.cal_a_api_key is masked') })
    expect(writes(refused.requests)).toEqual([])
    expect(await keys(by)).toEqual(['key-of-visit', 'key-of-cleaning'])
  })

  test('an undo does not give an entry the secret of another one', async () => {
    const by = await twoCalendars()
    const tools = JSON.stringify([calendar('visit', 'key-of-visit'), calendar('hygiene', 'key-of-cleaning')])
    await by.run(['assistants', 'update', '2', '--tools', tools])
    const [{ entry }] = await by.json('history list')
    const undone = await by.run(`history undo ${entry} --force`)
    expect(undone).toMatchObject({ exitCode: 5, stdout: '', stderr: expect.stringContaining('tools.1.cal_a_api_key') })
    expect(await keys(by)).toEqual(['key-of-visit', 'key-of-cleaning'])
  })
})
