import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

test('an operation is shown by its id or a unique prefix of it; an unknown id is not found', async () => {
  const by = operator()
  await by.run('numbers buy +15005550006 --yes')
  await by.run('messaging send --sender 1 --template opening_hours --to +14155550111')
  const [sent, bought] = await by.json('ops list')
  expect(await by.json(`ops get ${bought.id}`)).toEqual(bought)
  expect(await by.json(`ops get ${sent.id.slice(0, 20)}`)).toMatchObject({ endpoint: 'messaging.send', state: 'done' })
  expect(await by.run('ops get nothing')).toMatchObject({
    exitCode: 4,
    stdout: '',
    stderr: expect.stringContaining('parley ops list'),
  })
  const picked = await by.run('ops get', { answers: [['Which entry?', 'numbers.buy']] })
  expect(picked).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`parley ops get ${bought.id}`) })
})

test('an undo of a change of secrets only says that they cannot be restored', async () => {
  const by = operator()
  const secret = (value: string): string => JSON.stringify([{ key: 'password', value }])
  await by.run(['tools', 'update', '2', '--static-fields', secret('first')])
  await by.run(['tools', 'update', '2', '--static-fields', secret('second')])
  const [entry] = await by.json('history list')
  expect(await by.run(`history undo ${entry.entry}`)).toMatchObject({
    exitCode: 5,
    stdout: '',
    stderr: expect.stringContaining('static_fields'),
  })
})
