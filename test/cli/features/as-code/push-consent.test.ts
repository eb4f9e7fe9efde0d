import { expect, test } from 'vitest'
import { code, hook } from '../../../support/flow-definitions.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'
import { tool, write, writes } from './code-folder.ts'

const automation = JSON.stringify({ name: 'Notify', flow: { trigger: hook, steps: [code('1')] } })

/** A platform that knows of side effects which the local check of definitions does not find. */
const asks: NonNullable<RunOptions['through']> = async (handle, request) =>
  request.method === 'POST' && request.url.includes('/automate/')
    ? {
        status: 422,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          error: { code: 'side_effects_require_confirmation', message: 'Step "Ask" has side effects.' },
        }),
      }
    : handle(request)

test('a missing confirmation of side effects after a write is a failed file, and the other files are listed', async () => {
  const by = operator()
  await by.run('pull')
  write(by, 'tools/extra.yaml', tool('extra'))
  write(by, 'automations/notify.yaml', automation)
  const { exitCode, stdout } = await by.run('push --json', { through: asks })
  expect(exitCode).toBe(11)
  expect(JSON.parse(stdout)).toMatchObject([
    { file: 'tools/extra.yaml', done: 'created' },
    { file: 'automations/notify.yaml', done: 'failed', remark: expect.stringContaining('--confirm-side-effects') },
  ])
  const alone = await by.run('push', { through: asks })
  expect(alone).toMatchObject({ exitCode: 10, stdout: '' })
  expect(writes(alone.requests).filter((it) => !it.includes('automate'))).toEqual([])
})
