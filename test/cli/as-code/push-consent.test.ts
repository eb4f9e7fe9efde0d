import { expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'
import { tool, write, writes } from './code-folder.ts'

const posting = `name: Notify
flow:
  trigger: {name: trigger, type: PIECE_TRIGGER, settings: {pieceName: "@engine/piece-webhook", triggerName: catch_webhook, input: {}}}
  steps:
    - {name: step_1, type: PIECE, settings: {pieceName: "@engine/piece-http", actionName: send_request, input: {method: POST, url: "https://x.example/"}}}
`

test('a missing confirmation of side effects after a write is a failed file, and the other files are listed', async () => {
  const by = operator()
  await by.run('pull')
  write(by, 'tools/extra.yaml', tool('extra'))
  write(by, 'automations/notify.yaml', posting)
  const { exitCode, stdout } = await by.run('push --json')
  expect(exitCode).toBe(11)
  expect(JSON.parse(stdout)).toMatchObject([
    { file: 'tools/extra.yaml', done: 'created' },
    { file: 'automations/notify.yaml', done: 'failed', remark: expect.stringContaining('--confirm-side-effects') },
  ])
  const alone = await by.run('push')
  expect(alone).toMatchObject({ exitCode: 10, stdout: '' })
  expect(writes(alone.requests).filter((it) => !it.includes('automate'))).toEqual([])
})
