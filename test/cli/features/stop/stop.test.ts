import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { notParleyServer, withheld } from '../../../support/altered-responses.ts'
import { operator } from '../../../support/operator.ts'

const elsewhere = { through: notParleyServer }
const statusOf = async (by: ReturnType<typeof operator>, id: number): Promise<string> =>
  (await by.json(`campaigns get ${id}`)).status

async function running(by: ReturnType<typeof operator>, name: string): Promise<number> {
  const { id } = await by.json(
    `campaigns create --name "${name}" --assistant 2 --timezone UTC --allowed-days '["monday"]'`,
  )
  await by.run(`leads create --campaign ${id} --phone-number +14155550199`)
  await by.run(`campaigns start ${id} --yes`)
  return id
}

test('stop --all asks with what runs and the account, stops it in one request, and resume continues', async () => {
  const by = operator()
  const id = await running(by, 'Spring')
  expect(await by.run('stop')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('parley stop --all') })
  expect(await by.run('stop --all')).toMatchObject({
    exitCode: 10,
    stderr: expect.stringMatching(/account .*@.*campaign.*"Spring"/s),
  })
  const asked = await by.run('stop --all', { answers: [[/\?/, true]] })
  expect(asked.asked[0]).toMatch(/^\[local · simulated\] Stop everything of account /)
  expect(asked.exitCode).toBe(0)
  expect(await by.run('sms send --from 4 --to +14155550142 --body Hello --yes')).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('parley resume'),
  })
  expect(await statusOf(by, id)).toBe('in-progress')
  expect(await by.run('resume')).toMatchObject({ exitCode: 10 })
  expect(await by.json('resume --yes')).toMatchObject({ resumed: true, by: 'platform', items: [] })
  expect(await by.run('resume --yes')).toMatchObject({ exitCode: 0, stdout: 'Nothing is stopped.\n' })
  expect((await by.run('sms send --from 4 --to +14155550142 --body Hello --yes')).exitCode).toBe(0)
})

test('stop and resume name the same campaigns, automations and runs', async () => {
  const by = operator()
  const id = await running(by, 'Spring')
  const enabled = (await by.json('automate list')).filter((it: { status: string }) => it.status === 'enabled').length
  const counts = new RegExp(`\\d campaigns?, ${enabled} enabled automations, 0 runs`)
  const [expected] = counts.exec((await by.run('stop --all --dry-run')).stderr) ?? []
  expect(expected).toBeDefined()
  const stopped = await by.run('stop --all --yes')
  expect(stopped.stdout).toContain(`Everything is stopped: ${expected} and all sends.`)
  const { stderr } = await by.run('resume --dry-run')
  expect(stderr).toContain(`: ${expected} (`)
  expect(stderr).toContain(`campaign "Spring" (${id})`)
  const resumed = await by.run('resume --yes')
  expect(resumed.stdout).toContain(`Everything is resumed: ${expected} (`)
  expect(resumed.stdout).toContain(`campaign "Spring" (${id})`)
})

test('resume continues nothing when another stop came while its question was open', async () => {
  const by = operator()
  const { stopped_at } = await by.json('stop --all --yes')
  const stops = [stopped_at]
  const again = async (): Promise<boolean> => {
    await by.run('resume --yes')
    await by.run('server clock advance 1m')
    stops.push((await by.json('stop --all --yes')).stopped_at)
    return true
  }
  const { exitCode, stderr } = await by.run('resume', { answers: [[/Continue everything that was stopped/, again]] })
  expect(exitCode, stderr).toBe(5)
  expect(stderr).toContain('stopped the account again')
  for (const at of stops) expect(stderr).toContain(at)
  expect((await by.json('api user.activity')).data.stopped_at).toBe(stops[1])
  expect((await by.json('resume --yes')).resumed).toBe(true)
})

test('a stop is one entry of the history, and undoing it resumes', async () => {
  const by = operator()
  await by.run('stop --all --yes')
  const [entry] = await by.json('history list')
  expect(entry).toMatchObject({ action: 'group', command: 'stop', noun: 'groups', state: 'done' })
  expect(await by.run(`history undo ${entry.entry}`)).toMatchObject({ exitCode: 10 })
  expect(await by.json(`history undo ${entry.entry} --yes`)).toMatchObject({ done: 'restored' })
  expect(await by.run('resume --yes')).toMatchObject({ stdout: 'Nothing is stopped.\n' })
})

test('undoing a stop that was resumed since does not resume a later stop', async () => {
  const by = operator()
  const { entry } = await by.json('stop --all --yes')
  await by.run('resume --yes')
  expect(await by.run(`history undo ${entry} --yes`)).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('resumed already'),
  })
  await by.run('server clock advance 1m')
  await by.run('api user.stop --yes')
  const { exitCode, stderr } = await by.run(`history undo ${entry} --yes`)
  expect(exitCode, stderr).toBe(5)
  expect(stderr).toContain('stopped again')
  expect((await by.json('api user.activity')).data.stopped_at).not.toBe(null)
  expect(await by.json('resume --yes')).toMatchObject({ resumed: true })
})

test('--dry-run shows what would be stopped and resumed, and changes nothing', async () => {
  const by = operator()
  await running(by, 'Spring')
  const preview = await by.run('stop --all --dry-run')
  expect(preview.stderr).toMatch(/Would stop .*campaign.*"Spring"/)
  expect(preview.requests.filter((it) => it.startsWith('POST'))).toEqual([])
  expect((await by.json('api user.activity')).data.stopped_at).toBe(null)
  await by.run('stop --all --yes')
  const continuing = await by.run('resume --dry-run')
  expect(continuing.stderr).toMatch(/Would continue everything .*1 campaign/)
  expect(continuing.requests.filter((it) => it.startsWith('POST'))).toEqual([])
})

test('a bulk command ends, and sends the rest when it is run again after the resume', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'rows.csv'), 'to,body\n+14155550142,One\n+14155550143,Two\n+14155550144,Three\n')
  await by.run('stop --all --yes')
  const send = 'sms send --file rows.csv --from 4 --yes'
  expect(await by.run(send)).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('parley resume') })
  await by.run('resume --yes')
  let stopping: Promise<unknown> | undefined
  const partly = await by.run(send, {
    async through(handle, request) {
      if (request.method !== 'POST' || request.url !== '/api/user/sms') return handle(request)
      if (stopping) return stopping.then(() => handle(request))
      const { authorization = '' } = request.headers
      const answer = handle(request)
      stopping = answer.then(() => handle({ method: 'POST', url: '/api/user/stop', headers: { authorization } }))
      await stopping
      return answer
    },
  })
  expect(partly.exitCode, partly.stderr).toBe(11)
  await by.run('resume --yes')
  expect(await by.json(send)).toMatchObject({ done: 2, done_before: 1 })
})

test('the question and the result say that calls in progress continue, unless --hang-up ends them', async () => {
  const by = operator()
  const calls = async (): Promise<number> => (await by.json('api user.activity')).data.calls
  await by.run('calls start +14155550142 --assistant 2 --yes')
  const continues = '1 outbound call in progress continues. To end it: parley stop --all --hang-up.'
  const { asked, stderr } = await by.run('stop --all', { answers: [[/\?/, true]] })
  expect(asked[0]).toContain(`and sends (`)
  expect(asked[0]).toContain(`Nothing starts until "parley resume". ${continues}`)
  expect(stderr).toContain(continues)
  expect(await calls()).toBe(1)
  expect(await by.run('stop --all --hang-up')).toMatchObject({ exitCode: 10 })
  const ended = await by.run('stop --all --hang-up', { answers: [[/End 1 outbound call in progress\?/, true]] })
  expect([ended.exitCode, ended.stderr]).toEqual([0, expect.stringContaining('Ended 1 call.')])
  expect(await calls()).toBe(0)
  await by.run('resume --yes')
  await by.run('calls start +14155550142 --assistant 2 --yes')
  const both = await by.run('stop --all --hang-up', { answers: [[/1 outbound call in progress is ended\./, true]] })
  expect([both.exitCode, await calls()]).toEqual([0, 0])
})

test('a stop after which something has not ended yet says so, and ends with 11', async () => {
  const by = operator()
  const through: NonNullable<Parameters<typeof by.run>[1]>['through'] = async (handle, request) => {
    const response = await handle(request)
    return { ...response, body: response.body.replace('"finishing":0', '"finishing":2') }
  }
  const stopped = await by.run('stop --all --yes', { through })
  expect(stopped.exitCode, stopped.stderr).toBe(11)
  expect(stopped.stdout).toContain('Nothing starts any more: ')
  expect(stopped.stderr).toContain(
    '2 steps, messages and calls that began before have not ended yet. Run the command again',
  )
  expect(await by.run('stop --all', { through })).toMatchObject({ exitCode: 11 })
  expect(await by.run('stop --all')).toMatchObject({ exitCode: 0 })
})

test('an account that is stopped already is not stopped once more: the command says since when', async () => {
  const by = operator()
  const { stopped_at } = await by.json('stop --all --yes')
  await by.run('server clock advance 1h')
  const entries = await by.json('history list')
  const since =
    /Everything of this account is stopped since \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Nothing more would be stopped\./
  expect((await by.run('stop --all --dry-run')).stderr).toMatch(since)
  const again = await by.run('stop --all')
  expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('Nothing more was stopped.')])
  expect(again.requests.filter((it) => it.startsWith('POST'))).toEqual([])
  expect(await by.json('stop --all')).toMatchObject({ stopped: true, stopped_at, items: [], entry: null })
  expect(await by.json('history list')).toEqual(entries)
})

test('a coding agent stops at once, and needs a person to resume', async () => {
  const by = operator()
  await by.run('profile set local --approvals agents')
  const env = { CLAUDECODE: '1' }
  expect((await by.run('stop --all', { env })).exitCode).toBe(0)
  const refused = await by.run('resume --json', { env })
  expect([refused.exitCode, JSON.parse(refused.stderr).error.code]).toEqual([10, 'approval_pending'])
  expect((await by.json('api user.activity')).data.stopped_at).not.toBe(null)
})

test('a coding agent ends a call at once', async () => {
  const by = operator()
  await by.run('profile set local --approvals agents')
  const { id } = await by.json('calls start +14155550142 --assistant 2 --yes')
  expect(await by.run(`calls stop ${id}`, { env: { CLAUDECODE: '1' } })).toMatchObject({ exitCode: 0 })
})

test('elsewhere it stops one by one, holds the commands of this computer, and resumes exactly what it stopped', async () => {
  const by = operator()
  const [first, paused] = [await running(by, 'Spring'), await running(by, 'Autumn')]
  await by.run(`campaigns stop ${paused} --yes`)
  const enabled = (await by.json('automate list')).filter((it: { status: string }) => it.status === 'enabled')
  expect(enabled.length).toBeGreaterThan(0)
  const stopped = await by.json('stop --all --yes', elsewhere)
  expect(stopped).toMatchObject({ stopped: true, by: 'client', left: [], runs: null })
  expect(stopped.items.map((it: { name: string }) => it.name)).toEqual(
    expect.arrayContaining(['Spring', ...enabled.map((it: { name: string }) => it.name)]),
  )
  expect(stopped.not_stopped.join()).toContain('Runs of automations')
  expect([await statusOf(by, first), await statusOf(by, paused)]).toEqual(['paused', 'paused'])
  expect(await by.run(`campaigns start ${first} --yes`, elsewhere)).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('has stopped everything of profile "local" on this computer'),
  })
  expect(await by.run('sms send --from 4 --to +14155550142 --body Hello --yes', elsewhere)).toMatchObject({
    exitCode: 5,
  })
  const resumed = await by.json('resume --yes', elsewhere)
  expect(resumed).toMatchObject({ resumed: true, by: 'client' })
  expect(resumed.items.every((it: { result: string }) => it.result === 'restored')).toBe(true)
  expect([await statusOf(by, first), await statusOf(by, paused)]).toEqual(['in-progress', 'paused'])
  const now = (await by.json('automate list')).filter((it: { status: string }) => it.status === 'enabled')
  expect(now.map((it: { id: string }) => it.id)).toEqual(enabled.map((it: { id: string }) => it.id))
  expect(await by.run('resume --yes', elsewhere)).toMatchObject({ stdout: 'Nothing is stopped.\n' })
})

test('elsewhere what starts while it stops is stopped too, and what cannot be stopped is named', async () => {
  const by = operator()
  const [first, stubborn] = [await running(by, 'Spring'), await running(by, 'Stubborn')]
  const late = await running(by, 'Late')
  await by.run(`campaigns stop ${late} --yes`)
  let isStarted = false
  const through: NonNullable<Parameters<typeof by.run>[1]>['through'] = async (handle, request) => {
    if (request.url.endsWith('update-status')) {
      if (String(request.body).includes(`"campaign_id":${stubborn}`))
        return { status: 500, headers: { 'content-type': 'application/json' }, body: '{"message":"Server Error"}' }
      // Another client starts a campaign at the same time.
      if (!isStarted) await handle({ ...request, body: JSON.stringify({ campaign_id: late, action: 'start' }) })
      isStarted = true
    }
    return notParleyServer(handle, request)
  }
  const stopped = await by.run('stop --all --yes --json', { through })
  expect(stopped.exitCode).toBe(11)
  expect(JSON.parse(stopped.stdout)).toMatchObject({ stopped: false, left: [{ noun: 'campaigns', id: stubborn }] })
  expect([await statusOf(by, first), await statusOf(by, late)]).toEqual(['paused', 'paused'])
  // One that somebody else has started again is not changed.
  const resumed = await by.json('resume --yes', {
    async through(handle, request) {
      if (request.method === 'GET' && request.url.endsWith(`/campaign/${late}`)) {
        const body = JSON.stringify({ campaign_id: late, action: 'start' })
        const headers = { ...request.headers, 'content-type': 'application/json' }
        await handle({ method: 'POST', url: '/api/user/campaigns/update-status', headers, body })
      }
      return notParleyServer(handle, request)
    },
  })
  const results = Object.fromEntries(resumed.items.map((it: { name: string; result: string }) => [it.name, it.result]))
  expect(results).toMatchObject({ Spring: 'restored', Late: 'unchanged' })
})

test('a list that cannot be read does not prevent the stop of the account, and is named', async () => {
  const by = operator()
  const broken = withheld(403, '/api/user/campaigns', '/api/user/calls')
  const stopped = await by.run('stop --all --hang-up', {
    ...broken,
    answers: [[/what cannot be read of campaigns/, true]],
  })
  expect(stopped.exitCode, stopped.stderr).toBe(11)
  expect(stopped.stderr).toContain('Calls in progress cannot be read: Forbidden.')
  expect(stopped.stdout).toContain('Everything is stopped')
  expect((await by.json('resume --yes')).resumed).toBe(true)
})

test('an answer that does not show the stop is not taken for one', async () => {
  const by = operator()
  const stopped = await by.run('stop --all --yes', {
    async through(handle, request) {
      const response = await handle(request)
      if (!request.url.endsWith('/stop')) return response
      return { ...response, body: '{"message":"Stopped.","data":{}}' }
    },
  })
  expect(stopped.exitCode, stopped.stderr).toBe(12)
  expect(stopped.stderr).toContain('Nothing shows whether it was carried out.')
  expect(stopped.stdout).not.toContain('Everything is stopped')
})

/** Another platform, where the first request of a kind takes effect, and its answer is lost. */
function losingAnswer(isMeant: (body: string, url: string) => boolean) {
  const lost: string[] = []
  const through: NonNullable<Parameters<ReturnType<typeof operator>['run']>[1]>['through'] = async (
    handle,
    request,
  ) => {
    const answer = await notParleyServer(handle, request)
    if (lost.length > 0 || !isMeant(String(request.body), request.url)) return answer
    lost.push(request.url)
    throw new Error('the connection was reset')
  }
  return { lost, through }
}

test('elsewhere a campaign whose stop was not answered counts as stopped, and is resumed', async () => {
  const by = operator()
  const first = await running(by, 'Spring')
  const { lost, through } = losingAnswer((_, url) => url.endsWith('update-status'))
  const stopped = await by.json('stop --all --yes', { through })
  expect([lost, await statusOf(by, first)]).toEqual([['/api/user/campaigns/update-status'], 'paused'])
  expect(stopped).toMatchObject({ stopped: true, left: [] })
  expect(stopped.items).toContainEqual({ noun: 'campaigns', id: first, name: 'Spring' })
  await by.run('resume --yes', elsewhere)
  expect(await statusOf(by, first)).toBe('in-progress')
})

test('elsewhere a resume that was interrupted is finished by the next one', async () => {
  const by = operator()
  const [first, second] = [await running(by, 'Spring'), await running(by, 'Autumn')]
  const enabled = async () =>
    (await by.json('automate list')).filter((it: { status: string }) => it.status === 'enabled').length
  const before = await enabled()
  await by.run('stop --all --yes', elsewhere)
  const { lost, through } = losingAnswer((_, url) => url.endsWith('update-status'))
  await by.run('resume --yes', { through })
  expect(lost).toHaveLength(1)
  expect((await by.run('resume --yes', elsewhere)).exitCode).toBe(0)
  expect([await statusOf(by, first), await statusOf(by, second), await enabled()]).toEqual([
    'in-progress',
    'in-progress',
    before,
  ])
  expect(await by.run('resume --yes', elsewhere)).toMatchObject({ stdout: 'Nothing is stopped.\n' })
})

test('one undo also starts a campaign again whose stop was not answered', async () => {
  const by = operator()
  const first = await running(by, 'Spring')
  const { through } = losingAnswer((_, url) => url.endsWith('update-status'))
  await by.run('campaigns stop --filter name=Spring --yes', { through })
  expect(await statusOf(by, first)).toBe('paused')
  const [entry] = await by.json('history list')
  expect(entry).toMatchObject({ action: 'group', command: 'campaigns stop' })
  expect(await by.run(`history undo ${entry.entry} --yes`)).toMatchObject({ exitCode: 0 })
  expect(await statusOf(by, first)).toBe('in-progress')
})

test('elsewhere a folder that cannot be written does not prevent the stop, and is named', async () => {
  const by = operator()
  const first = await running(by, 'Spring')
  // A file where the folders would be, as on a full disk nothing can be created.
  for (const name of ['stopped', 'history']) {
    rmSync(join(by.dataDir, name), { recursive: true, force: true })
    writeFileSync(join(by.dataDir, name), '')
  }
  const { exitCode, stdout, stderr } = await by.run('stop --all --yes --json', elsewhere)
  expect(exitCode, stderr).toBe(11)
  expect(stderr).toContain('The commands of this computer still start')
  expect(JSON.parse(stdout)).toMatchObject({ stopped: false, left: [] })
  expect(await statusOf(by, first)).toBe('paused')
})

test('whoami and doctor say that an account is stopped, and how it continues', async () => {
  const by = operator()
  expect((await by.run('whoami', { terminal: true })).stderr).not.toContain('stopped')
  await by.run('stop --all --yes')
  const stopped = /Everything of this account is stopped since \d{4}-\d\d-\d\d \d\d:\d\d UTC/
  const whoami = await by.run('whoami', { terminal: true })
  expect([whoami.exitCode, whoami.stderr]).toEqual([0, expect.stringMatching(stopped)])
  expect(whoami.stderr).toContain('parley resume')
  const { stopped_at } = (await by.json('api user.activity')).data
  expect(await by.json('whoami')).toMatchObject({ stopped_at })
  const found = await by.json<{ check: string; status: string; detail: string; hint: string }[]>('doctor')
  expect(found.find(({ check }) => check === 'stopped')).toMatchObject({
    status: 'warning',
    detail: expect.stringMatching(stopped),
    hint: 'parley resume',
  })
  await by.run('resume --yes')
  expect((await by.run('whoami', { terminal: true })).stderr).not.toContain('stopped')
  expect(await by.json('whoami')).toMatchObject({ stopped_at: null })
  expect((await by.json<{ check: string }[]>('doctor')).map(({ check }) => check)).not.toContain('stopped')
})
