import { expect, test } from 'vitest'
import { notParleyServer } from '../../support/altered-responses.ts'
import { operator } from '../../support/operator.ts'

test('calls stop ends a call after confirmation, names the state of an ended one, and requires a Parley server', async () => {
  const by = operator()
  const { id } = await by.json('calls start +14155550142 --assistant 2 --yes')
  expect(await by.run(`calls stop ${id}`)).toMatchObject({ exitCode: 10 })
  expect(await by.run(`calls stop ${id} --yes`, { through: notParleyServer })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('does not have the capability "call-stop"'),
  })
  expect(await by.run(`calls stop ${id} --yes`)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Ended call \d+ after \d+ s: (ended|no answer)\. Cost: /),
  })
  expect(await by.run(`calls stop ${id} --yes`)).toMatchObject({
    exitCode: 5,
    stderr: expect.stringMatching(/The call has already ended: (ended|no-answer)/),
  })
  expect(await by.run('calls stop 99999 --yes')).toMatchObject({ exitCode: 4 })
})
