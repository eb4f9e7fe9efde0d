import { describe, expect, test } from 'vitest'
import type { PlainRequest } from '../../../../src/contract/endpoint/http-message.ts'
import { code, hook, http } from '../../../support/flow-definitions.ts'
import type { Handle } from '../../../support/operator.ts'
import { greet, greeting, isUpdate, lostAnswer, plain, running } from './deployments.ts'

/** Passes here, where its request is not made, and fails on the platform, which refuses the address. */
const failsThere = {
  trigger: hook,
  steps: [http('GET', 'http://127.0.0.1:9/'), code('inputs.body.id', { body: "{{step_1['body']}}" })],
}

describe('an update whose answer is lost', () => {
  test('is read back: a live and enabled definition is reported as a success', async () => {
    const by = await greeting()
    const done = await by.run(
      'automate update Greeting --file bye.json',
      plain(async (handle, request) => {
        const answer = await handle(request)
        return isUpdate(request) ? lostAnswer() : answer
      }),
    )
    expect(done).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('The response was lost; the live version was read back.'),
    })
    expect(await running(by)).toEqual(['enabled', 'Bye'])
    expect(await by.json('ops list --open')).toEqual([])
  })

  test('is rolled back if its test failed', async () => {
    const by = await greeting({ 'there.json': failsThere })
    let updates = 0
    const done = await by.run(
      'automate update Greeting --file there.json',
      plain(async (handle, request) => {
        const answer = await handle(request)
        return isUpdate(request) && ++updates === 1 ? lostAnswer() : answer
      }),
    )
    expect(done).toMatchObject({ exitCode: 20, stdout: expect.stringContaining('The previous version is live again') })
    expect(await running(by)).toEqual(['enabled', 'Hello'])
  })

  test('that never arrived ends with 12, because it may still arrive; ops reconcile settles it after the deadline', async () => {
    const by = await greeting()
    const done = await by.run(
      'automate update Greeting --file bye.json',
      plain((handle, request) => (isUpdate(request) ? lostAnswer() : handle(request))),
    )
    expect(done).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining('The previous definition is live. The update may still be in progress.'),
    })
    expect(await by.run('ops reconcile', plain())).toMatchObject({ exitCode: 12 })
    by.wait(121_000)
    expect(await by.run('ops reconcile', plain())).toMatchObject({ exitCode: 0 })
    expect(await running(by)).toEqual(['enabled', 'Hello'])
  })
})

describe('an update whose response is lost, of an automation that someone else changes at the same time', () => {
  /** Loses the answer to the first update, after `then` was done by somebody else. */
  const lostAfter = (then: (by: Handle, request: PlainRequest) => Promise<unknown>) => {
    let updates = 0
    return plain(async (handle, request) => {
      const answer = await handle(request)
      if (!isUpdate(request) || ++updates > 1) return answer
      await then(handle, request)
      return lostAnswer()
    })
  }

  test('is not rolled back when it passed its test and the other user disabled it', async () => {
    const by = await greeting()
    const lost = await by.run(
      'automate update Greeting --file bye.json',
      lostAfter(() => by.run('automate disable Greeting')),
    )
    expect(lost).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining('Another definition is live; it may be the new one. It is disabled.'),
    })
    by.wait(121_000)
    const { exitCode, stderr, requests } = await by.run('ops reconcile', plain())
    expect(stderr).toContain('not changed, because someone else changed it since. It is disabled.')
    expect({ exitCode, writes: requests.filter((it) => !it.startsWith('GET')) }).toEqual({ exitCode: 20, writes: [] })
    expect(await running(by)).toEqual(['disabled', 'Bye'])
    expect(await by.json('ops list --open')).toEqual([])
  })

  test.each<[string, object]>([
    ['is enabled', greet('Theirs')],
    ['is disabled, because its test failed', failsThere],
  ])('is not rolled back by ops reconcile when the definition of the other user %s', async (_, flow) => {
    const by = await greeting()
    let isSent = false
    const lost = await by.run(
      'automate update Greeting --file bye.json',
      plain(async (handle, request) => {
        if (isSent) return lostAnswer()
        if (!isUpdate(request)) return handle(request)
        isSent = true
        // The request of this user never arrives.
        await handle({ ...request, body: JSON.stringify({ flow, sample: { name: 'Ada' } }) })
        return lostAnswer()
      }),
    )
    expect(lost.exitCode).toBe(12)
    const published = await by.json(`automate get ${by.id}`)
    by.wait(121_000)
    const { exitCode, stderr, requests } = await by.run('ops reconcile', plain())
    expect(stderr).toContain('not changed, because someone else changed it since.')
    expect({ exitCode, writes: requests.filter((it) => !it.startsWith('GET')) }).toEqual({ exitCode: 20, writes: [] })
    expect(await by.json(`automate get ${by.id}`)).toEqual(published)
  })

  test('is not reported as live when the other user published another definition', async () => {
    const by = await greeting()
    const lost = await by.run(
      'automate update Greeting --file bye.json',
      lostAfter((handle, request) => {
        const { 'idempotency-key': _, ...headers } = request.headers
        return handle({ ...request, headers, body: JSON.stringify({ flow: greet('Theirs'), sample: { name: 'Ada' } }) })
      }),
    )
    expect(lost).toMatchObject({
      exitCode: 20,
      stdout: expect.stringMatching(/^The response was lost, and the live version differs from what was sent: /),
    })
    expect(await running(by)).toEqual(['enabled', 'Theirs'])
  })
})
