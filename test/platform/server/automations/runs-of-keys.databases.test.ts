import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { delay, every, hook, http, keep, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform, type Owner } from '../../../support/platform/automation-platform.ts'

const minute = 60_000
const url = 'https://effects.example/'
const send = http('POST', url)
const step = (actionName: string, input: object) => ({
  type: 'PIECE',
  displayName: actionName,
  settings: { pieceName: '@platform/piece-platform', actionName, input },
})
const addLead = (campaign: number) => step('addLead', { campaign, phone_number: '+14155550142' })
const subflow = { pieceName: '@engine/piece-subflows' }
const callFlow = (flow: string) => ({
  type: 'PIECE',
  displayName: 'Call',
  settings: { ...subflow, actionName: 'callFlow', input: { flow, flowProps: { payload: {} }, waitForResponse: true } },
})
const callable = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { ...subflow, triggerName: 'callableFlow', input: {} },
}

// A run has the restricted key that started it or enabled its automation, and does no more than that key may.

describe.each(databases)('runs of restricted keys on $name', (database) => {
  const platform = automationPlatform(database)

  /** Creates a key of an account. Returns an owner that uses it, with the id of the key. */
  async function withKey(by: Owner, restrictions: object): Promise<Owner & { readonly keyId: number }> {
    const { status, body } = await platform
      .api()
      .ask('POST', '/api/user/api-keys', { key: by.key, body: { name: 'agent', ...restrictions } })
    expect(status, JSON.stringify(body)).toBe(201)
    const listed = await platform.api().ask('GET', '/api/user/api-keys', { key: by.key })
    return { ...by, key: body.api_key.token, keyId: listed.body.api_keys.at(-1).id }
  }
  const read = async ({ key }: Owner, run: string) =>
    (await platform.api().ask('GET', `/api/user/automate/runs/${run}`, { key })).body.data
  const create = (by: Owner, flow: object, name = 'Flow') =>
    platform.create(by, { name, flow, confirm_side_effects: true })
  const published = async (by: Owner, flow: object, name?: string): Promise<string> => {
    const { status, body } = await create(by, flow, name)
    expect(status, JSON.stringify(body)).toBe(201)
    platform.requests.length = 0
    return body.automation_id
  }
  const started = async (id: string): Promise<string> => {
    const run = (await platform.call(id, '', {})).headers['x-webhook-id'] as string
    await platform.wait(0)
    return run
  }
  const liveRuns = async ({ key }: Owner, id: string) =>
    (await platform.api().ask('GET', `/api/user/automate/runs?automation_id=${id}&test=false`, { key })).body.data
  const campaignOf = async (by: Owner): Promise<number> =>
    (
      await platform.api().ask('POST', '/api/user/campaign', {
        key: by.key,
        body: { name: 'Recall', assistant_id: by.assistant, timezone: 'UTC' },
      })
    ).body.data.id
  const leads = async (by: Owner): Promise<unknown[]> =>
    (await platform.api().ask('GET', '/api/user/leads', { key: by.key })).body.data

  test('a run that waits beyond the expiry of its key fails at that step, and does nothing further', async () => {
    const by = await platform.owner()
    const agent = await withKey(by, { scope: 'spend', expires: '1h' })
    const id = await published(agent, {
      trigger: hook,
      steps: [delay({ unit: 'hours', delayFor: 2 }), keep('a', 1), send],
    })
    const run = await started(id)
    expect((await read(by, run)).status).toBe('PAUSED')
    await platform.wait(121 * minute)
    const expired =
      /The API key that started this expired at 2027-.*Enable the automation or start the run with another key\.$/
    const { status, error, steps } = await read(by, run)
    expect([status, error]).toEqual(['FAILED', expect.stringMatching(expired)])
    expect(steps.map((it: { name: string; status: string }) => [it.name, it.status])).toEqual([['step_1', 'FAILED']])
    expect(steps[0].error).toMatch(expired)
    expect(platform.requests).toEqual([])
    // Another key resumes it, and the run is its work then.
    expect((await platform.retry(by, id, run)).status).toBe(200)
    await platform.wait(121 * minute)
    expect((await read(by, run)).status).toBe('SUCCEEDED')
    expect(platform.requests).toHaveLength(1)
  })

  test('a key that expires while a run is executed stops it before its next step with effects', async () => {
    const by = await platform.owner()
    const agent = await withKey(by, { scope: 'spend', expires: '1h' })
    const slow = 'https://slow.example/'
    const id = await published(agent, { trigger: hook, steps: [http('POST', slow), keep('a', 1), send] })
    const first = await started(id)
    expect((await read(by, first)).status).toBe('SUCCEEDED')
    platform.requests.length = 0
    platform.answers.set(slow, {
      status: 200,
      // The key expires while the first step waits for this answer.
      get body() {
        platform.time.ms += 61 * minute
        return {}
      },
    })
    const run = await started(id)
    platform.answers.delete(slow)
    const { status, steps } = await read(by, run)
    expect([status, steps.map((it: { status: string }) => it.status)]).toEqual(['FAILED', ['SUCCEEDED', 'FAILED']])
    expect(steps[1].error).toContain('The API key that started this expired at')
    expect(platform.requests.map((it) => it.url)).toEqual([slow])
  })

  test('a trigger of an automation whose key has expired leaves a failed run that says why, with its payload', async () => {
    const by = await platform.owner()
    const agent = await withKey(by, { scope: 'spend', expires: '1h' })
    const webhook = await published(agent, { trigger: hook, steps: [send] })
    const schedule = await published(agent, { trigger: every('every_hour'), steps: [keep('a', 1)] })
    await platform.wait(59 * minute)
    expect((await read(by, await started(webhook))).status).toBe('SUCCEEDED')
    platform.requests.length = 0
    await platform.wait(61 * minute)
    const { headers } = await platform.call(webhook, '', { order: 7 })
    await platform.wait(0)
    const run = headers['x-webhook-id'] as string
    expect(await read(by, run)).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('The API key that started this expired at'),
      trigger: { body: { order: 7 } },
    })
    expect((await platform.call(webhook, '/sync', {})).status).toBe(500)
    expect((await liveRuns(by, schedule))[0]).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('The API key that started this expired at'),
    })
    expect(platform.requests).toEqual([])
    // Enabled with another key, it works again, and so does the run that failed.
    await platform.update(by, webhook, { enabled: false })
    await platform.update(by, webhook, { enabled: true })
    expect((await read(by, await started(webhook))).status).toBe('SUCCEEDED')
    expect((await platform.retry(by, webhook, run)).status).toBe(200)
    expect((await read(by, run)).status).toBe('SUCCEEDED')
  })

  test('a deleted key stops its runs as an expired one does', async () => {
    const by = await platform.owner()
    const agent = await withKey(by, { scope: 'spend' })
    const id = await published(agent, { trigger: hook, steps: [delay({ unit: 'hours', delayFor: 2 }), send] })
    const run = await started(id)
    expect((await platform.api().ask('DELETE', `/api/user/api-keys/${agent.keyId}`, { key: by.key })).status).toBe(200)
    await platform.wait(121 * minute)
    for (const stopped of [run, await started(id)])
      expect(await read(by, stopped)).toMatchObject({
        status: 'FAILED',
        error: expect.stringContaining('The API key that started this was deleted.'),
      })
    expect(platform.requests).toEqual([])
  })

  test('a run of a key without restrictions is not affected by keys that expire', async () => {
    const by = await platform.owner()
    await withKey(by, { scope: 'spend', expires: '1h' })
    const id = await published(by, { trigger: hook, steps: [delay({ unit: 'hours', delayFor: 2 }), send] })
    const run = await started(id)
    await platform.wait(121 * minute)
    expect((await read(by, run)).status).toBe('SUCCEEDED')
  })

  test('a key for other resources publishes, enables and restores no automation whose steps change leads', async () => {
    const by = await platform.owner()
    const campaign = await campaignOf(by)
    const agent = await withKey(by, { scope: 'spend', nouns: ['automate', 'tools'] })
    const refused = { status: 403, body: { error: 'KEY_NOUN_MISSING', required_noun: 'leads' } }
    const adding = { trigger: hook, steps: [respond({}), addLead(campaign)] }
    expect(await create(agent, adding)).toMatchObject(refused)
    const id = await published(by, adding)
    await platform.update(by, id, { enabled: false })
    const before = await leads(by)
    expect(await platform.update(agent, id, { enabled: true })).toMatchObject(refused)
    expect(await platform.update(agent, id, { flow: adding, confirm_side_effects: true })).toMatchObject(refused)
    await platform.update(by, id, { flow: { trigger: hook, steps: [respond({})] } })
    expect(await platform.restore(agent, id)).toMatchObject(refused)
    expect(await leads(by)).toEqual(before)
    // What it may do, it may do in automations too.
    expect((await create(agent, { trigger: hook, steps: [respond({}), send] })).status).toBe(201)
    const more = await withKey(by, { scope: 'spend', nouns: ['automate', 'leads'] })
    expect((await create(more, adding)).status).toBe(201)
  })

  test('a key for other resources changes no leads by repeating a run, or by calling an automation', async () => {
    const by = await platform.owner()
    const campaign = await campaignOf(by)
    const agent = await withKey(by, { scope: 'spend', nouns: ['automate'] })
    const adding = await published(by, { trigger: hook, steps: [addLead(campaign)] })
    await published(by, { trigger: callable, steps: [addLead(campaign)] }, 'Adds a lead')
    const [test] = (await platform.runs(by, adding)).body.runs
    const before = await leads(by)
    const reason = expect.stringContaining('restricted to automate, and a step of the automation needs leads')
    const again = await platform
      .api()
      .ask('POST', `/api/user/automate/runs/${test.id}/rerun`, { key: agent.key, body: { confirm_side_effects: true } })
    expect(await read(by, again.body.data.id)).toMatchObject({ status: 'FAILED', error: reason })
    const { body } = await create(agent, { trigger: hook, steps: [callFlow('Adds a lead')] })
    expect(body).toMatchObject({ status: 'test_failed', test: { steps: [{ status: 'FAILED', error: reason }] } })
    expect((await platform.update(agent, body.automation_id, { enabled: true })).status).toBe(200)
    const run = await started(body.automation_id)
    await expect
      .poll(async () => {
        await platform.wait(0)
        return (await read(by, run)).status
      })
      .toBe('FAILED')
    expect((await read(by, run)).error).toEqual(reason)
    expect(await leads(by)).toEqual(before)
  })
  test('what the steps of a run cost counts against the budget of its key, and a step beyond the budget fails', async () => {
    const by = await platform.owner()
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 100 })
    const offers = await platform.api().ask('GET', '/api/user/phone-numbers/search?country_code=US', { key: by.key })
    const bought = await platform.api().buy(offers.body.data[0].phone_number, { key: by.key })
    expect(bought.status, JSON.stringify(bought.body)).toBe(201)
    const numbers = (await platform.api().ask('GET', '/api/user/phone-numbers/all', { key: by.key })).body.data
    const from = numbers.find((it: { sms_capable: boolean }) => it.sms_capable).id
    const agent = await withKey(by, { scope: 'spend', budget: '0.025/day' })
    const sms = step('sendSms', { from, to: '+14155550142', body: 'Hello' })
    const left = async () =>
      (await platform.api().ask('GET', '/api/user/api-keys/scopes', { key: by.key })).body.data.find(
        (it: { id: number }) => it.id === agent.keyId,
      ).budget.left
    const id = await published(agent, { trigger: hook, steps: [sms] })
    expect(await left()).toBe(0.015)
    expect((await read(by, await started(id))).status).toBe('SUCCEEDED')
    expect(await left()).toBe(0.005)
    const run = await read(by, await started(id))
    expect(run).toMatchObject({ status: 'FAILED', error: expect.stringContaining('The budget of this key is') })
    expect(await left()).toBe(0.005)
  })
})
