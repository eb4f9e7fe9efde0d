import { describe, expect, test } from 'vitest'
import { altered, item, notParleyServer } from '../../../support/altered-responses.ts'
import { operator } from '../../../support/operator.ts'

describe('messaging assign', () => {
  test('assigns and unassigns the assistant of a sender, and can be undone', async () => {
    const by = operator()
    const [, , , , surveys] = await by.json('messaging assignments')
    expect(surveys).toEqual({
      id: 5,
      phone_number: '+14155550174',
      display_name: 'Northwind Surveys',
      status: 'online',
      assistant_id: null,
      assistant_name: null,
    })
    const write = 'server simulate message --sender 5 --from +14155550142 --text Hello'
    expect(await by.run(write)).toMatchObject({ exitCode: 6 })
    expect(await by.json('messaging assign +14155550174 --assistant-id Recall')).toMatchObject({
      assistant_name: 'Recall',
    })
    expect(await by.run(write)).toMatchObject({ exitCode: 0 })
    expect(await by.run('history undo 1 --yes')).toMatchObject({ exitCode: 0 })
    expect((await by.json('messaging assignments'))[4]).toEqual(surveys)
    expect(await by.json('messaging assign "Northwind Billing" --assistant-id null')).toMatchObject({
      id: 2,
      assistant_id: null,
    })
  })

  test('a deleted assistant is no longer shown', async () => {
    const by = operator()
    await by.run('messaging assign 5 --assistant-id Recall')
    expect(await by.run('assistants delete Recall --yes --confirm Recall')).toMatchObject({ exitCode: 0 })
    expect((await by.json('messaging assignments'))[4]).toMatchObject({ assistant_id: null, assistant_name: null })
  })

  test('an unknown sender or assistant and a missing flag are refused', async () => {
    const by = operator()
    for (const [line, exitCode, text] of [
      ['99 --assistant-id 1', 4, 'Sender not found'],
      ['5 --assistant-id 99', 6, 'The selected assistant id is invalid.'],
      ['5 --assistant-id Nobody', 4, 'Nobody'],
      ['5', 2, 'Pass --assistant-id'],
    ] as const)
      expect(await by.run(`messaging assign ${line}`)).toMatchObject({
        exitCode,
        stderr: expect.stringContaining(text),
      })
    for (const line of ['assignments', 'assign 5 --assistant-id 1'])
      expect(await by.run(`messaging ${line}`, { through: notParleyServer })).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('does not have the capability "sender-assistants"'),
      })
  })

  test('refs and the deletion of an assistant name the senders that it answers for', async () => {
    const by = operator()
    await by.run('messaging assign 5 --assistant-id Recall')
    const loses = 'The sender +14155550174 (5) loses its assistant, and can no longer send or receive messages.'
    expect(await by.json('refs assistants Recall --used-by')).toContainEqual(
      expect.objectContaining({ noun: 'senders', id: 5, field: 'assistant_id', live: true, loss: loses }),
    )
    expect(await by.json('refs senders 5 --uses')).toMatchObject([{ kind: 'assistant', name: 'Recall' }])
    expect(await by.run('assistants delete Recall --yes')).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining(loses),
    })
    expect(await by.run('assistants delete Recall --confirm Recall')).toMatchObject({ exitCode: 0 })
    expect(await by.run('history undo 2 --yes')).toMatchObject({
      stderr: expect.stringContaining('references to the old id: senders 5 "Northwind Surveys" (assistant_id)'),
    })
  })

  test('without assignments on the platform, refs and the deletion of an assistant do not ask for them', async () => {
    const by = operator()
    const elsewhere = { through: notParleyServer }
    for (const line of ['refs assistants Recall', 'refs senders 5', 'doctor --voice']) {
      const run = await by.run(line, elsewhere)
      expect(run.stderr + run.stdout).not.toMatch(/could not be read|not checked|assistants of senders/i)
      expect(run.requests.filter((it) => it.includes('assignments'))).toEqual([])
    }
    const run = await by.run('assistants delete Recall --yes', elsewhere)
    expect(run).toMatchObject({ exitCode: 0, stderr: '' })
    expect(run.requests.filter((it) => it.includes('/messaging/'))).toEqual([])
  })

  test('doctor names a sender whose assistant does not exist', async () => {
    const deleted = altered({ '/api/user/messaging/assignments': item(1, { assistant_id: 99 }) })
    const { stdout } = await operator().run('doctor --voice --json', deleted)
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({
        check: 'reference',
        status: 'failed',
        noun: 'senders',
        detail: 'Sender +14155550170 (1) references assistant 99 in assistant_id, which does not exist.',
        hint: 'parley messaging assign 1 --assistant-id null',
      }),
    )
  })
})
