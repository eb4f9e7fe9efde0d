import { describe, expect, test } from 'vitest'
import { code, hook, http } from '../../support/flow-definitions.ts'
import { operator } from '../../support/operator.ts'
import { greeting, plain } from '../features/automations/deployments.ts'

const fails = { trigger: hook, steps: [code('inputs.x.y.z', { x: "{{trigger['body']['x']}}" })] }

describe('automate get', () => {
  test('shows the webhook URL and the live version', async () => {
    const { run, json, id } = await greeting()
    await json('automate update Greeting --file bye.json')
    const { stdout } = await run('automate get Greeting')
    expect(stdout).toMatch(new RegExp(`^Webhook URL\\s+\\S*/automate/api/v1/webhooks/${id}$`, 'm'))
    expect(stdout).toMatch(/^Live version\s+2$/m)
    expect(await json('automate get Greeting')).toMatchObject({
      webhook_url: expect.stringMatching(new RegExp(`/automate/api/v1/webhooks/${id}$`)),
      live_version: 2,
    })
    expect((await run('automate get Greeting --fields live_version')).stdout).toMatch(/^Live version\s+2$/m)
    expect((await run('automate get Greeting -o id')).stdout).toBe(`${id}\n`)
    expect((await run('automate get Greeting --fields help')).stdout).toMatch(/^webhook_url$/m)
  })

  test('shows the automation with a warning if its versions cannot be read', async () => {
    const { run } = await greeting()
    const { exitCode, stdout, stderr } = await run('automate get Greeting --json --retries 0', {
      through: async (handle, request) =>
        request.url.includes('/versions')
          ? { status: 403, headers: { 'content-type': 'application/json' }, body: '{"message":"Forbidden."}' }
          : handle(request),
    })
    expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({ exitCode: 0, name: 'Greeting', live_version: null })
    expect(stderr).toContain('The number of the live version could not be read: Forbidden.')
  })

  test('shows no version if the platform has none, and no webhook URL for a schedule', async () => {
    const { run, json } = await greeting()
    expect((await run('automate get Greeting', plain())).stdout).not.toContain('Live version')
    expect((await run('automate get "Weekly count"')).stdout).not.toContain('Webhook URL')
    const { stdout } = await run('automate get Greeting --json', plain())
    expect(JSON.parse(stdout)).toMatchObject({ live_version: null })
    expect(await json('automate get "Weekly count"')).toMatchObject({ webhook_url: null })
  })
})

describe.each([
  ['a Parley server', {}],
  ['a deployment that lists runs by automation', plain()],
])('automate retry with the id of a run, on %s', (_, on) => {
  test('retries that run', async () => {
    const { run, json } = await greeting({ 'fails.json': fails })
    await run('automate update Greeting --file fails.json --no-rollback-on-failure --skip-local-test')
    const [failed] = await json('automate runs list Greeting --status FAILED')
    const retried = await run(`automate retry ${failed.id} --json`, on)
    expect(JSON.parse(retried.stdout)).toMatchObject({ run_id: failed.id })
  })

  test('asks before a step that may have effects outside runs again, and names it', async () => {
    const sends = {
      trigger: hook,
      steps: [{ ...http('POST', 'http://127.0.0.1:1/orders'), displayName: 'Send order' }],
    }
    const { run, json } = await greeting({ 'sends.json': sends })
    await run('automate update Greeting --file sends.json --confirm-side-effects --no-rollback-on-failure')
    const [failed] = await json('automate runs list Greeting --status FAILED')
    const sent = (requests: readonly string[]) => requests.filter((it) => it.endsWith('/retry')).length
    for (const line of [`automate retry ${failed.id}`, `automate runs retry ${failed.id}`]) {
      const refused = await run(line, on)
      expect([refused.exitCode, sent(refused.requests)]).toEqual([10, 0])
      expect(refused.stderr).toContain('step step_1 "Send order" (piece-http send_request)')
      expect(refused.stderr).toContain('pass --confirm-side-effects')
      const asked = await run(line, { ...on, answers: [['Run this step again?', false]] })
      expect([asked.exitCode, sent(asked.requests)]).toEqual([10, 0])
      const done = await run(`${line} --confirm-side-effects`, on)
      expect([done.exitCode, sent(done.requests)]).toEqual([20, 1])
    }
  })

  test('with an unknown id explains the argument', async () => {
    const { run } = await greeting()
    const { exitCode, stderr } = await run(`automate retry ${'x'.repeat(21)}`, on)
    expect(exitCode).toBe(4)
    expect(stderr).toContain(`No automation or run with the id "${'x'.repeat(21)}".`)
    expect(stderr).toContain('parley automate retry <automation> --run <run>')
    expect(stderr).toContain('parley automate runs list --status FAILED')
  })
})

describe('a run that fails again because it continues on its old version', () => {
  async function repaired() {
    const by = await greeting({ 'fails.json': fails, 'works.json': { trigger: hook, steps: [code('1')] } })
    await by.run('automate update Greeting --file fails.json --no-rollback-on-failure --skip-local-test')
    const [failed] = await by.json('automate runs list Greeting --status FAILED')
    await by.run('automate update Greeting --file works.json')
    return { ...by, failed: failed.id as string }
  }

  test('is followed by the command that continues on the live version', async () => {
    const { run, failed } = await repaired()
    const hint = 'After a change of the automation: parley automate runs retry'
    const one = await run(`automate retry Greeting --run ${failed}`)
    expect([one.exitCode, one.stderr]).toEqual([20, expect.stringContaining(`${hint} ${failed} --latest`)])
    const other = await run(`automate runs retry ${failed}`)
    expect([other.exitCode, other.stderr]).toEqual([20, expect.stringContaining(`${hint} <run> --latest`)])
  })

  test('succeeds with automate retry --latest', async () => {
    const { run, json, failed } = await repaired()
    expect((await run('automate retry Greeting --latest --print-curl')).stderr).toContain('cannot show --latest')
    const latest = await run(`automate retry Greeting --run ${failed} --latest`)
    expect(latest.exitCode, latest.stderr).toBe(0)
    expect(await json(`automate runs get ${failed}`)).toMatchObject({ status: 'SUCCEEDED' })
  })

  test('on a platform without versions of runs, --latest is refused and nothing is sent', async () => {
    const { run, failed } = await repaired()
    const { exitCode, requests } = await run(`automate retry Greeting --run ${failed} --latest`, plain())
    expect([exitCode, requests.filter((it) => it.startsWith('POST'))]).toEqual([2, []])
  })
})

test('the sample assistant moves a visit with the sample automation that its tool runs', async () => {
  const by = operator()
  const { conversation_id: uuid } = await by.json('conversations start --assistant Recall --type test')
  await by.json(`conversations send ${uuid} --message "Please move my visit to 2026-12-01"`)
  expect(await by.json('automate runs list "Move a visit"')).toEqual([expect.objectContaining({ status: 'SUCCEEDED' })])
  expect(JSON.stringify(await by.json(`conversations get ${uuid}`))).toContain('"moved":true')
})
