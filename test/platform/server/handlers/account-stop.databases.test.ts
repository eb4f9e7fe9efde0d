import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callJobKind } from '../../../../src/platform/services/calls/call-service.ts'
import {
  campaignDispatchJobKind,
  fallbackContactJobKind,
} from '../../../../src/platform/services/campaigns/lead-outcomes.ts'
import { handOver } from '../../../../src/platform/services/contacts/hand-over.ts'
import { waitingJobKind } from '../../../../src/platform/services/contacts/outside-hours.ts'
import { sendJobKind } from '../../../../src/platform/services/messaging/send-service.ts'
import { smsJobKind } from '../../../../src/platform/services/messaging/sms-service.ts'
import { runJobKind } from '../../../../src/platform/store/automations/runs.ts'
import { insertNumber } from '../../../../src/platform/store/numbers/numbers.ts'
import { heldUntil } from '../../../../src/platform/store/runtime/scheduled-jobs.ts'
import { databases } from '../../../support/databases.ts'
import { code, delay, every, hook, http } from '../../../support/flow-definitions.ts'
import type { Owner } from '../../../support/platform/automation-platform.ts'
import type { Answered, Api } from '../../../support/platform/platform-api.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'
import { openAt } from '../../../support/platform/test-platforms.ts'

const turns = async (n: number): Promise<void> => {
  for (let i = 0; i < n; i++) await new Promise<void>((resolve) => setImmediate(resolve))
}

describe.each(databases)('a stopped account on $name', (database) => {
  const requested: string[] = []
  /** Requests of automations are answered after it. */
  let answering: Promise<unknown> = Promise.resolve()
  const automationPorts = {
    http: {
      async send({ url }: { readonly url: string }) {
        requested.push(url)
        await answering
        return { status: 200, headers: {}, body: Buffer.from('') }
      },
    },
  }
  /** Requests to providers that have started. */
  const started: string[] = []
  /** Whether they fail before they start, as if the process died there. */
  let isDead = false
  /** How long the providers take, in turns of the event loop. */
  let slowness = 0
  const gate = async (step: string): Promise<void> => {
    if (!/^(?:channel\.send|texting\.send|carrier\.dial):before$/.test(step)) return
    if (isDead) throw new Error('The process has died.')
    started.push(step)
    await turns(slowness)
  }
  const platform = simulationPlatform(database, { automationPorts, gate })
  const post = (by: { key: string }, path: string, body?: object, api: Api = platform.api()): Promise<Answered> =>
    api.ask('POST', `/api/user/${path}`, { key: by.key, ...(body && { body }) })
  const activity = async (by: Owner) => (await platform.get(by, 'activity')).data
  const calls = async (by: Owner): Promise<{ status: string }[]> => (await platform.get(by, 'calls?per_page=100')).data

  async function campaign(by: Owner, phones: readonly string[], more: object = {}): Promise<number> {
    const body = { name: 'Recall', assistant_id: by.assistant, timezone: 'UTC', ...more }
    const { id } = (await post(by, 'campaign', body)).body.data
    for (const phone_number of phones) await post(by, 'lead', { campaign_id: id, phone_number })
    return id
  }
  const start = (by: Owner, campaign_id: number): Promise<Answered> =>
    post(by, 'campaigns/update-status', { campaign_id, action: 'start' })
  const statusOf = async (by: Owner, id: number): Promise<string> =>
    (await platform.get(by, `campaign/${id}`)).data.status

  async function automation(by: Owner, flow: object): Promise<string> {
    const { body } = await platform.create(by, { flow, confirm_side_effects: true })
    requested.length = 0
    return body.automation_id
  }
  const liveRuns = async (by: Owner, id: string): Promise<{ status: string }[]> =>
    (await platform.get(by, `automate/runs?automation_id=${id}&test=false`)).data

  /** Returns the id of a new number that can send SMS. */
  const addNumber = async (by: Owner): Promise<number> =>
    (
      await platform.tables().write({ rows: by.id }, (query) =>
        insertNumber(query, {
          account_id: by.id,
          phone_number: `+1415555${3000 + by.id}`,
          country_code: 'US',
          region: null,
          type: 'normal',
          sms_capable: 1,
          nickname: null,
          created_at: 1,
        }),
      )
    ).id

  /** Sends and calls of an account, with their states. */
  async function stored(by: Owner) {
    const { read } = platform.tables()
    const of = [
      read.selectFrom('phone_call').select('state').where('account_id', '=', by.id),
      read.selectFrom('sms_message').select('state').where('account_id', '=', by.id),
      read.selectFrom('channel_message').select('state').where('account_id', '=', by.id),
    ] as const
    const [calls, texts, messages] = [await of[0].execute(), await of[1].execute(), await of[2].execute()]
    return { calls, texts, messages }
  }

  /** How many sends and calls an account has stored, and how often its leads were started. */
  async function countStarts(by: Owner): Promise<number> {
    const { calls, texts, messages } = await stored(by)
    const leads = platform.tables().read.selectFrom('lead').select('attempts').where('account_id', '=', by.id)
    const attempts = (await leads.execute()).reduce((sum, it) => sum + it.attempts, 0)
    return calls.length + texts.length + messages.length + attempts
  }

  /** Jobs of an account that would start something and do not wait for its resume, although they were due. */
  async function notHeld(by: Owner): Promise<{ kind: string; attempts: number }[]> {
    const { read } = platform.tables()
    const kinds = [runJobKind, sendJobKind, smsJobKind, campaignDispatchJobKind, fallbackContactJobKind, waitingJobKind]
    const jobs = await read
      .selectFrom('due')
      .select(['kind', 'subject', 'attempts', 'due_at'])
      .where('account_id', '=', by.id)
      .where('kind', 'in', [...kinds, callJobKind])
      .where('due_at', '<', heldUntil)
      .execute()
    const dialling = read.selectFrom('phone_call').select('id').where('account_id', '=', by.id)
    const ids = (await dialling.where('state', '=', 'dialling').execute()).map((it) => String(it.id))
    const late = jobs.filter((it) => it.attempts > 0 || it.due_at <= platform.time.ms * 1000)
    return late.flatMap(({ kind, subject, attempts }) =>
      kind === callJobKind && !ids.includes(subject) ? [] : [{ kind, attempts }],
    )
  }

  test('calls no lead of a running campaign, until it is resumed; what was paused stays paused', async () => {
    const by = await platform.owner()
    const running = await campaign(by, ['+14155550142', '+14155550143'], { max_calls_in_parallel: 1 })
    const paused = await campaign(by, ['+14155550144'])
    await start(by, running)
    await start(by, paused)
    await post(by, 'campaigns/update-status', { campaign_id: paused, action: 'stop' })
    const stopped = await post(by, 'stop')
    expect(stopped.status).toBe(200)
    expect(stopped.body.data).toMatchObject({ campaigns: 1, calls: 0, finishing: 0 })
    expect(stopped.body.data.stopped_at).toMatch(/^2027-03-01T12:00/)
    for (let n = 0; n < 3; n++) await platform.minutes(1)
    expect(await calls(by)).toEqual([])
    expect([await statusOf(by, running), await statusOf(by, paused)]).toEqual(['in-progress', 'paused'])
    expect((await post(by, 'resume')).body.data).toMatchObject({ stopped_at: null, campaigns: 1 })
    for (let n = 0; n < 12; n++) await platform.minutes(1)
    expect(await calls(by)).toHaveLength(2)
    expect([await statusOf(by, running), await statusOf(by, paused)]).toEqual(['completed', 'paused'])
  })

  test('places no call that was stored before, and places it once after the resume', async () => {
    const by = await platform.owner()
    const id = await campaign(by, ['+14155550142'])
    await start(by, id)
    // The dispatch stores the call, whose job runs after it.
    const [dispatch] = await platform
      .tables()
      .read.selectFrom('due')
      .selectAll()
      .where('account_id', '=', by.id)
      .where('kind', '=', 'campaign.turn')
      .execute()
    expect(dispatch).toBeDefined()
    await post(by, 'stop')
    await platform.minutes(1)
    expect(await calls(by)).toEqual([])
    await post(by, 'resume')
    for (let n = 0; n < 5; n++) await platform.minutes(1)
    expect(await calls(by)).toHaveLength(1)
  })

  test('refuses sends, calls and starts of campaigns, and charges nothing', async () => {
    const by = await platform.owner()
    const [sender, from] = [await platform.sender(by), await addNumber(by)]
    const id = await campaign(by, ['+14155550142'])
    await post(by, 'stop')
    const refusals = [
      await start(by, id),
      await post(by, 'make_call', { phone_number: '+14155550142', assistant_id: by.assistant }),
      await post(by, 'messaging/send', {
        sender_id: sender.id,
        template_id: sender.template,
        recipient_phone: '+14155550142',
      }),
      await post(by, 'sms', { from, to: '+14155550142', body: 'Hello' }),
    ]
    for (const { status, body } of refusals) expect([status, body.error]).toEqual([409, 'ACCOUNT_STOPPED'])
    expect(refusals[0]?.body.message).toContain('is stopped')
    expect((await platform.get(by, 'me')).total_balance).toBe(1)
    expect(await countStarts(by)).toBe(0)
    await post(by, 'resume')
    expect((await start(by, id)).status).toBe(200)
  })

  test('sends and calls nothing that was stored before, and all of it at once after the resume', async () => {
    const by = await platform.owner()
    const [sender, from] = [await platform.sender(by), await addNumber(by)]
    const phone = '+14155550142'
    isDead = true
    try {
      await post(by, 'make_call', { phone_number: phone, assistant_id: by.assistant })
      await post(by, 'sms', { from, to: phone, body: 'Hello' })
      await post(by, 'messaging/send', { sender_id: sender.id, template_id: sender.template, recipient_phone: phone })
    } finally {
      isDead = false
    }
    const waiting = { calls: [{ state: 'dialling' }], texts: [{ state: 'sending' }], messages: [{ state: 'sending' }] }
    expect(await stored(by)).toEqual(waiting)
    // The leases of the process that has died end.
    platform.time.ms += 31_000
    expect((await post(by, 'stop')).body.data).toMatchObject({ calls: 1, finishing: 0 })
    for (let n = 0; n < 3; n++) await platform.minutes(1)
    expect([await notHeld(by), await stored(by)]).toEqual([[], waiting])
    // Nor does one that a slow process has checked before the stop, and whose permission has ended since.
    const text = await platform
      .tables()
      .read.selectFrom('sms_message')
      .select('id')
      .where('account_id', '=', by.id)
      .executeTakeFirstOrThrow()
    const again = platform
      .tables()
      .write({ account: by.id }, (query) =>
        handOver(query, { wall: () => platform.time.ms }, { channel: 'sms', id: text.id, phone }),
      )
    await expect(again).rejects.toMatchObject({ kind: 'user.stopped' })
    await post(by, 'resume')
    await platform.minutes(0)
    expect(await stored(by)).toEqual({
      calls: [{ state: 'over' }],
      texts: [{ state: 'sent' }],
      messages: [{ state: 'sent' }],
    })
    expect((await calls(by)).map((it) => it.status)).toEqual(['ended_by_customer'])
  })

  test('sends no message in place of a call that ends unanswered, until it is resumed', async () => {
    const by = await platform.owner()
    const from = await addNumber(by)
    const id = await campaign(by, ['+15005550301'], {
      max_retries: 1,
      fallback_channel: 'sms',
      fallback_sms_from_phone_number_id: from,
      fallback_sms_body: 'Call us.',
    })
    await start(by, id)
    await platform.minutes(0)
    expect(await stored(by)).toMatchObject({ calls: [{ state: 'going' }], texts: [] })
    expect((await post(by, 'stop')).body.data).toMatchObject({ calls: 1, finishing: 0 })
    for (let n = 0; n < 6; n++) await platform.minutes(1)
    expect([await notHeld(by), await stored(by)]).toEqual([[], { calls: [{ state: 'over' }], texts: [], messages: [] }])
    await post(by, 'resume')
    await platform.minutes(0)
    expect((await stored(by)).texts).toEqual([{ state: 'sent' }])
  })

  test('lets what waits for the contact hours wait after they have opened, until it is resumed', async () => {
    const by = await platform.owner()
    const from = await addNumber(by)
    const hours = (body: object): Promise<Answered> =>
      platform.api().ask('PUT', '/api/user/contact-hours', { key: by.key, body })
    const today = new Date(platform.time.ms).toISOString().slice(0, 10)
    const days = [-1, 0, 1].map((n) => new Date(Date.parse(today) + n * 86_400_000).toISOString().slice(0, 10))
    await hours({ holidays: days })
    expect((await post(by, 'sms', { from, to: '+14155550142', body: 'Hello' })).status).toBe(202)
    expect((await post(by, 'stop')).body.data).toMatchObject({ waiting: 1 })
    await hours({ holidays: null })
    for (let n = 0; n < 3; n++) await platform.minutes(1)
    expect([await notHeld(by), (await stored(by)).texts]).toEqual([[], []])
    await post(by, 'resume')
    await platform.minutes(0)
    expect((await stored(by)).texts).toEqual([{ state: 'sent' }])
  })

  test('sends no message of a campaign that has started, and does not count the attempt', async () => {
    const by = await platform.owner()
    const { body } = await platform.api().buy('+15005550006', { key: by.key })
    const sms = { channel: 'sms', assistant_id: undefined, sms_from_phone_number_id: body.data.id, sms_body: 'Hello' }
    const id = await campaign(by, ['+14155550142', '+14155550143'], sms)
    await start(by, id)
    await post(by, 'stop')
    for (let n = 0; n < 3; n++) await platform.minutes(1)
    expect([await notHeld(by), await countStarts(by)]).toEqual([[], 0])
    const sent = () =>
      platform.tables().read.selectFrom('sms_message').selectAll().where('account_id', '=', by.id).execute()
    expect(await sent()).toEqual([])
    await post(by, 'resume')
    for (let n = 0; n < 3; n++) await platform.minutes(1)
    expect(await sent()).toHaveLength(2)
    expect(await statusOf(by, id)).toBe('completed')
  })

  test('lets a run wait before its next step, and new runs before their first one', async () => {
    const by = await platform.owner()
    const steps = [
      http('POST', 'https://first.example/'),
      delay({ unit: 'minutes', delayFor: 10 }),
      http('POST', 'https://last.example/'),
    ]
    const id = await automation(by, { trigger: hook, steps })
    await platform.call(id, '', {})
    await platform.wait(0)
    expect(requested).toEqual(['https://first.example/'])
    const { body } = await post(by, 'stop')
    expect(body.data).toMatchObject({ runs: 1, finishing: 0 })
    expect((await platform.call(id, '', {})).status).toBe(200)
    await platform.minutes(20)
    expect(requested).toEqual(['https://first.example/'])
    expect((await liveRuns(by, id)).map((it) => it.status).toSorted()).toEqual(['PAUSED', 'RUNNING'])
    await post(by, 'resume')
    await platform.minutes(0)
    await expect.poll(() => requested.length).toBe(3)
    await platform.minutes(11)
    await expect.poll(async () => (await liveRuns(by, id)).map((it) => it.status)).toEqual(['SUCCEEDED', 'SUCCEEDED'])
    expect(requested.toSorted()).toEqual([
      'https://first.example/',
      'https://first.example/',
      'https://last.example/',
      'https://last.example/',
    ])
  })

  test('lets the step of a run end that has started, and starts none after it', async () => {
    const by = await platform.owner()
    const steps = [http('POST', 'https://first.example/'), http('POST', 'https://last.example/')]
    const id = await automation(by, { trigger: hook, steps })
    let answer = (): void => {}
    answering = new Promise<void>((resolve) => {
      answer = resolve
    })
    const working = platform.call(id, '', {}).then(() => platform.wait(0))
    try {
      await expect.poll(() => requested).toEqual(['https://first.example/'])
      const stopping = post(by, 'stop')
      await expect.poll(async () => (await activity(by)).stopped_at).not.toBe(null)
      expect(await activity(by)).toMatchObject({ runs: 1, finishing: 1 })
      answer()
      expect((await stopping).body.data).toMatchObject({ runs: 1, finishing: 0 })
    } finally {
      answer()
    }
    await working
    await platform.minutes(1)
    expect(requested).toEqual(['https://first.example/'])
    await post(by, 'resume')
    await platform.minutes(0)
    await expect.poll(async () => (await liveRuns(by, id)).map((it) => it.status)).toEqual(['SUCCEEDED'])
    expect(requested).toEqual(['https://first.example/', 'https://last.example/'])
  })

  test('answers a caller who waits for a run without the answer, at once', async () => {
    const by = await platform.owner()
    const id = await automation(by, { trigger: hook, steps: [http('POST', 'https://first.example/')] })
    await post(by, 'stop')
    expect((await platform.call(id, '/sync', {})).status).toBe(204)
    expect(requested).toEqual([])
    await post(by, 'resume')
    await platform.minutes(0)
    await expect.poll(() => requested).toEqual(['https://first.example/'])
  })

  test('lets a run that a caller waits for compute, and starts no step with effects', async () => {
    const by = await platform.owner()
    const steps = [code('1 + 1'), http('POST', 'https://first.example/')]
    const id = await automation(by, { trigger: hook, steps })
    await post(by, 'stop')
    const answering = platform.call(id, '/sync', {})
    await expect.poll(async () => (await liveRuns(by, id)).map((it) => it.status)).toEqual(['RUNNING'])
    for (let n = 0; n < 3; n++) await platform.minutes(1)
    expect(requested).toEqual([])
    await post(by, 'resume')
    await platform.minutes(0)
    await expect.poll(() => requested).toEqual(['https://first.example/'])
    expect((await answering).status).toBe(204)
  })

  test('gives a schedule one run for the times that passed', async () => {
    const by = await platform.owner()
    const id = await automation(by, { trigger: every('every_hour'), steps: [http('POST', 'https://hourly.example/')] })
    await post(by, 'stop')
    for (let n = 0; n < 3; n++) await platform.minutes(60)
    expect([requested, await liveRuns(by, id)]).toEqual([[], []])
    await post(by, 'resume')
    await platform.minutes(0)
    await expect.poll(() => requested.length).toBe(1)
    await platform.minutes(60)
    await expect.poll(() => requested.length).toBe(2)
    expect(await liveRuns(by, id)).toHaveLength(2)
  })

  test('still tests automations, so that a wrong one can be corrected before the resume', async () => {
    const by = await platform.owner()
    await post(by, 'stop')
    const { body } = await platform.create(by, {
      flow: { trigger: hook, steps: [http('POST', 'https://test.example/')] },
      confirm_side_effects: true,
      sample: {},
    })
    expect(body.status).not.toBe('test_failed')
  })

  test('is stopped once, and a resume of what is not stopped does nothing', async () => {
    const by = await platform.owner()
    expect(await activity(by)).toEqual({ stopped_at: null, campaigns: 0, runs: 0, calls: 0, waiting: 0, finishing: 0 })
    const first = (await post(by, 'stop')).body.data
    await platform.minutes(5)
    expect((await post(by, 'stop')).body.data).toEqual(first)
    expect((await post(by, 'resume')).body.message).toBe('Everything is resumed')
    expect((await post(by, 'resume')).body.message).toBe('Nothing was stopped')
  })

  test('a resume of one stop does not continue a later one', async () => {
    const by = await platform.owner()
    const { stopped_at } = (await post(by, 'stop')).body.data
    expect((await post(by, 'resume', { stopped_at })).body.message).toBe('Everything is resumed')
    const late = await post(by, 'resume', { stopped_at })
    expect([late.status, late.body.error]).toEqual([409, 'STOP_CHANGED'])
    await platform.minutes(5)
    const again = (await post(by, 'stop')).body.data.stopped_at
    const refused = await post(by, 'resume', { stopped_at })
    expect([refused.status, refused.body.error]).toEqual([409, 'STOP_CHANGED'])
    expect(refused.body.message).toContain(`stopped at ${stopped_at}`)
    expect(refused.body.message).toContain(`again at ${again}`)
    expect((await activity(by)).stopped_at).toBe(again)
  })

  test('needs a key that may write, and to resume one that may spend', async () => {
    const by = await platform.owner()
    const keyOf = async (scope: string) =>
      (await post(by, 'api-keys', { name: scope, scope })).body.api_key.token as string
    expect((await post({ key: await keyOf('read') }, 'stop')).status).toBe(403)
    const write = { key: await keyOf('write') }
    expect((await post(write, 'stop')).status).toBe(200)
    expect((await post(write, 'resume')).status).toBe(403)
    expect((await post({ key: await keyOf('spend') }, 'resume')).status).toBe(200)
  })

  test('starts nothing after the stop was answered, with several writers at the same time, and loses nothing', async () => {
    const other = await openAt(platform.api().place, { wall: () => platform.time.ms, automationPorts, gate })
    const servers = [platform.api(), other]
    const by = await platform.owner()
    const sender = await platform.sender(by)
    // Nothing of the other tests starts in between.
    await platform.tables().write('rows', (query) => query.deleteFrom('due').where('account_id', '!=', by.id).execute())
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 100_000 })
    const from = await addNumber(by)
    const steps = [http('POST', 'https://run.example/'), http('POST', 'https://run.example/')]
    const id = await automation(by, { trigger: hook, steps })
    const channels = {
      call: { max_calls_in_parallel: 1 },
      sms: { assistant_id: undefined, sms_from_phone_number_id: from, sms_body: 'Hello' },
      messaging: { assistant_id: undefined, messaging_sender_id: sender.id, messaging_template_id: sender.template },
    } as const
    const phones = ['+14155550142', '+14155550143'] as const
    const [phone] = phones
    /** Requests that start something. */
    const starts: Readonly<Record<string, (api: Api) => Promise<unknown>>> = {
      call: (api) => post(by, 'make_call', { phone_number: phone, assistant_id: by.assistant }, api),
      sms: (api) => post(by, 'sms', { from, to: phone, body: 'Hello' }, api),
      message: (api) =>
        post(by, 'messaging/send', { sender_id: sender.id, template_id: sender.template, recipient_phone: phone }, api),
      async run(api) {
        const { headers } = await api.platform.handle({
          method: 'POST',
          url: `/automate/api/v1/webhooks/${id}`,
          headers: { host: '127.0.0.1:1', 'content-type': 'application/json' },
          body: '{}',
        })
        if (headers['x-webhook-id'] !== undefined) accepted++
      },
    }
    /** A campaign that has started, and that a server dispatches. */
    const dispatch = async (channel: keyof typeof channels, api: Api): Promise<void> => {
      const made = await campaign(by, phones, { channel, ...channels[channel] })
      await post(by, 'campaigns/update-status', { campaign_id: made, action: 'start' }, api)
      await api.platform.due.drain()
    }
    const kinds = [...Object.keys(starts), ...Object.keys(channels).map((it) => `${it} campaign`)]
    const writer = fc.record({ kind: fc.constantFrom(...kinds), server: fc.nat(1), turns: fc.nat(20) })
    const history = fc.record({
      writers: fc.array(writer, { minLength: 3, maxLength: 10 }),
      server: fc.nat(1),
      // Also after all have started, which takes longer on PostgreSQL.
      turns: fc.constantFrom(0, 5, 30, 500, 3000, 10_000),
      slowness: fc.constantFrom(0, 5, 40),
    })
    let accepted = 0
    const drain = async (): Promise<void> => {
      for (const server of servers) await server.platform.due.drain()
    }
    /** Sends that wait for their provider, as their rows say. */
    const waiting = async (): Promise<number> =>
      Object.values(await stored(by))
        .flat()
        .filter((it) => it.state === 'dialling' || it.state === 'sending').length
    const seen = new Set<string>()
    const begin = async (kind: string, api: Api): Promise<void> => {
      const start = starts[kind]
      if (start) await start(api)
      else await dispatch(kind.split(' ')[0] as keyof typeof channels, api)
      seen.add(kind)
    }
    // Each of them has an effect while nothing is stopped.
    for (const [n, kind] of kinds.entries()) await begin(kind, servers[n % 2] as Api)
    try {
      await fc.assert(
        fc.asyncProperty(history, async (drawn) => {
          slowness = drawn.slowness
          const work = drawn.writers.map(async ({ kind, server, turns: after }) => {
            const api = servers[server] as Api
            await turns(after)
            await begin(kind, api)
          })
          await turns(drawn.turns)
          const stopped = await post(by, 'stop', undefined, servers[drawn.server])
          const before = [requested.length, started.length, await countStarts(by)]
          expect(stopped.body.data.finishing).toBe(0)
          await Promise.all(work)
          // Campaigns, runs and retries that would continue.
          for (let n = 0; n < 3; n++) {
            platform.time.ms += 60_000
            await drain()
          }
          expect([requested.length, started.length, await countStarts(by)]).toEqual(before)
          expect(await notHeld(by)).toEqual([])
          await post(by, 'resume', undefined, servers[1 - drawn.server])
          await drain()
          await expect
            .poll(async () => {
              await drain()
              return requested.length
            })
            .toBe(accepted * steps.length)
          // The campaigns end, so that the next history has none, and nothing is left.
          for (let n = 0; n < 6; n++) await platform.minutes(1)
          await drain()
          expect(await waiting()).toBe(0)
        }),
        { numRuns: 12, endOnFailure: true },
      )
    } finally {
      slowness = 0
    }
    expect((await activity(by)).runs).toBe(0)
    expect([...new Set(started)].toSorted()).toEqual([
      'carrier.dial:before',
      'channel.send:before',
      'texting.send:before',
    ])
    expect([...seen].toSorted()).toEqual(kinds.toSorted())
  })
})
