import { expect, test } from 'vitest'
import type { PlainResponse } from '../../../../src/contract/endpoint/http-message.ts'
import { answered, greeting, isUpdate, plain } from './deployments.ts'

test('enable and disable are read back: exit 20 if the platform accepted the change without making it, 12 if that cannot be read', async () => {
  const { run, json } = await greeting()
  const switched = (shown: () => PlainResponse) => {
    let isUpdated = false
    return plain((handle, request) => {
      if (isUpdate(request)) {
        isUpdated = true
        return Promise.resolve(
          answered(200, { data: { id: 'x', name: 'Greeting', status: 'disabled', updated: true } }),
        )
      }
      const isShown = isUpdated && request.method === 'GET' && /flows\/\w{21}/.test(request.url)
      return isShown ? Promise.resolve(shown()) : handle(request)
    })
  }
  const { stdout: live } = await run('automate get Greeting --json')
  const lied = await run(
    'automate disable Greeting',
    switched(() => answered(200, { data: JSON.parse(live) })),
  )
  expect(lied).toMatchObject({
    exitCode: 20,
    stderr: expect.stringContaining('still differs from what was sent: status is "enabled", sent "disabled".'),
  })
  expect(lied.stdout).toContain('status is "enabled", sent "disabled".')
  const unread = await run(
    'automate enable Greeting',
    switched(() => answered(403, { message: 'no' })),
  )
  expect(unread).toMatchObject({
    exitCode: 12,
    stderr: expect.stringContaining('the result is unknown. It could not be read back: no'),
  })
  expect((await json('automate get Greeting')).status).toBe('enabled')
})
