import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

test('an update and a deletion of a text that contains "[hidden]" can be undone', async () => {
  const by = operator()
  const setPrompt = (id: number, prompt: string) =>
    by.run(['assistants', 'update', String(id), '--system-prompt', prompt])
  await setPrompt(2, 'Never say [hidden].')
  await setPrompt(2, 'Short')
  expect(await by.run('history undo 2')).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('secret') })
  expect((await by.json('assistants get 2')).system_prompt).toBe('Never say [hidden].')
  await by.run('assistants delete 2 --yes')
  expect(await by.run('history undo 4 --yes')).toMatchObject({ exitCode: 0 })
  expect((await by.run('assistants list --fields system_prompt -o csv')).stdout).toContain('Never say [hidden].')
})

test('a text with a credential besides is not written back without it', async () => {
  const by = operator()
  const update = (prompt: string) => by.run(['assistants', 'update', '2', '--system-prompt', prompt])
  await update('Say [hidden]. See https://example.com/?token=abc123def456')
  await update('Short')
  expect(await by.run('history undo 2')).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('system_prompt'),
  })
  expect((await by.json('assistants get 2')).system_prompt).toBe('Short')
})
