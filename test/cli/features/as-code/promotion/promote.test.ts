import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hook, http } from '../../../../support/flow-definitions.ts'
import { productionUrl, stagingUrl, type TwoPlatforms, twoPlatforms } from './two-platforms.ts'

const line = 'promote --from staging --to production'
const confirmed = `${line} --confirm production`

/** Changes staging: a tool that uses a secret is new, an assistant uses it, and another tool is changed. */
async function changeStaging(on: TwoPlatforms): Promise<void> {
  for (const words of [
    [
      'tools',
      'create',
      '--name',
      'weather',
      '--description',
      'Weather',
      '--endpoint',
      'https://weather.example',
      '--method',
      'GET',
      '--set',
      'headers.0.name=Authorization',
      '--set',
      'headers.0.value=Bearer secret-of-staging',
    ],
    ['tools', 'update', '2', '--tool-timeout', '20'],
    ['assistants', 'update', '1', '--add-tool', 'weather', '--max-duration', '300'],
    ['labels', 'create', '--name', 'night'],
  ]) {
    const run = await on.run(['--profile', 'staging', ...words])
    expect(run.exitCode, run.stderr).toBe(0)
  }
  on.takeWrites()
  on.takeRequests()
}

const secret = { env: { WEATHER_AUTHORIZATION: 'Bearer secret-of-production' } }

describe('promote', () => {
  test('shows the plan, applies it in order, reads it back, and a second run sends nothing', async () => {
    const on = await twoPlatforms()
    expect(await on.run(line)).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing to promote') })
    await changeStaging(on)
    const shown = await on.run(`${line} --dry-run --json`, secret)
    expect(shown.exitCode, shown.stderr).toBe(0)
    const plan = JSON.parse(shown.stdout)
    expect(plan.filter((it: { done: string }) => it.done !== 'unchanged')).toMatchObject([
      { file: 'labels/night.yaml', done: 'would_create', live: false },
      { file: 'tools/book-appointment.yaml', done: 'would_update', fields: ['timeout'], live: true },
      { file: 'tools/weather.yaml', done: 'would_create' },
      { file: 'assistants/front-desk.yaml', done: 'would_update', live: true },
    ])
    expect(plan.some((it: { done: string }) => it.done === 'unchanged')).toBe(true)
    expect(on.takeWrites()).toEqual([])

    const missing = await on.run(confirmed)
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('WEATHER_AUTHORIZATION') })
    for (const refused of [line, `${line} --yes`]) expect(await on.run(refused, secret)).toMatchObject({ exitCode: 10 })
    expect(await on.run(`${line} --confirm staging`, secret)).toMatchObject({ exitCode: 2 })
    expect(on.takeWrites()).toEqual([])

    const done = await on.run(confirmed, secret)
    expect(done.exitCode, done.stderr).toBe(0)
    expect(done.stderr).toContain(
      'From profile "staging" (https://staging.example) to profile "production" (https://production.example).',
    )
    expect(done.stderr).toContain('change tools/book-appointment.yaml (live)\n    timeout: 15 -> 20')
    const written = on.takeWrites()
    expect(written).toHaveLength(4)
    expect(written.every((it) => it.startsWith('production '))).toBe(true)
    const live = await on.json('production', 'assistants get 1')
    expect(live.max_duration).toBe(300)
    expect(await on.json('production', 'tools list')).toContainEqual(expect.objectContaining({ name: 'weather' }))
    expect(JSON.stringify(await on.json('production', 'api tools.list'))).not.toContain('secret-of-staging')
    on.takeWrites()
    expect(await on.run(confirmed)).toMatchObject({ exitCode: 0, stdout: '' })
    expect(on.takeWrites()).toEqual([])
  })

  test('never enables an automation whose test failed, and its remarks name the target', async () => {
    const on = await twoPlatforms()
    const flow = { trigger: hook, steps: [http('GET', 'http://127.0.0.1:9/')] }
    writeFileSync(join(on.by.cwd, 'failing.json'), JSON.stringify(flow))
    await on.run('automate create --name Failing --file failing.json --profile staging --yes')
    await on.run('automate enable Failing --profile staging')
    for (const text of ['its test failed and it is disabled', 'It was not enabled, because its last test failed']) {
      const run = await on.run(`${confirmed} --only automations --yes`)
      expect([run.exitCode, run.stdout]).toEqual([20, expect.stringContaining(text)])
      expect(run.stdout).toMatch(/parley automate runs list .*--profile production/)
    }
    const states = (await on.json('production', 'automate list')) as { name: string; status: string }[]
    expect(states.find((it) => it.name === 'Failing')?.status).toBe('disabled')
  })

  test('undo restores what it changed and deletes what it created', async () => {
    const on = await twoPlatforms()
    const before = await on.json('production', 'assistants get 1')
    await changeStaging(on)
    expect(await on.run(confirmed, secret)).toMatchObject({ exitCode: 0 })
    expect(await on.run('promote undo --to production')).toMatchObject({ exitCode: 10 })
    expect(await on.run('promote undo --to production --dry-run')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/Dry run\. Nothing was sent\.\n$/),
    })
    const undone = await on.run('promote undo --to production --confirm production')
    expect(undone.exitCode, undone.stderr + undone.stdout).toBe(0)
    const { updated_at: _, ...live } = await on.json('production', 'assistants get 1')
    expect(before).toMatchObject(live)
    expect(await on.json('production', 'tools list')).not.toContainEqual(expect.objectContaining({ name: 'weather' }))
    expect((await on.json('production', 'tools get 2')).timeout).toBe(15)
    // The profiles differ now, and nothing else is claimed.
    expect(await on.run('promote undo --to production --confirm production')).toMatchObject({
      stderr: `Undoing the last promotion to profile "production" (${productionUrl}).\nNothing to undo in profile "production".\n`,
    })
    expect(await on.run(confirmed, secret)).toMatchObject({ exitCode: 0 })
    await on.run('--profile production tools update 2 --tool-timeout 7')
    on.takeWrites()
    expect(await on.run('promote undo --to production --confirm production')).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('tools/book-appointment.yaml: timeout: 7 -> 15'),
    })
    expect(on.takeWrites()).toEqual([])
  })

  test('one history entry holds the promotion, and its undo is that of promote undo', async () => {
    const on = await twoPlatforms()
    await changeStaging(on)
    const promoted = await on.run(confirmed, secret)
    expect(promoted.exitCode, promoted.stderr).toBe(0)
    const files = [
      'labels/night.yaml',
      'tools/book-appointment.yaml',
      'tools/weather.yaml',
      'assistants/front-desk.yaml',
    ]
    const listed = await on.json('production', 'history list')
    expect(listed).toMatchObject([
      { action: 'promote', noun: 'promotions', id: 'production', name: 'staging -> production', state: 'done' },
    ])
    expect(listed[0].fields).toEqual(files)
    const [{ entry }] = listed
    expect(promoted.stderr).toContain(`Undo: parley history undo ${entry} --profile production`)
    expect(await on.json('production', 'history list --noun tools --id 2')).toMatchObject([
      { action: 'update', part_of: entry, fields: ['timeout'] },
    ])
    expect(await on.json('production', `history get ${entry}`)).toMatchObject({
      from: 'staging',
      items: { 'tools/book-appointment.yaml': { action: 'update', fields: ['timeout'], before: { timeout: 15 } } },
    })
    const diff = `history diff ${entry} --profile production`
    const differs = await on.run(diff)
    expect([differs.exitCode, differs.stdout]).toEqual([
      20,
      expect.stringMatching(
        /^labels\/night\.yaml: created by the promotion\ntools\/book-appointment\.yaml: timeout: 15 -> 20\n/,
      ),
    ])
    const asJson = JSON.parse((await on.run(`${diff} --json`)).stdout)
    expect(asJson).toMatchObject({ entry, noun: 'promotions', id: 'production' })
    expect(asJson.differences).toContainEqual({
      resource: 'tools/book-appointment.yaml',
      state: 'changed',
      fields: [{ field: 'timeout', copy: 15, live: 20 }],
    })
    const undo = `history undo ${entry} --profile production`
    on.takeWrites()
    expect(await on.run(`${undo} --yes`)).toMatchObject({ exitCode: 10 })
    expect(await on.run(`${undo} --dry-run`)).toMatchObject({ exitCode: 0 })
    expect(on.takeWrites()).toEqual([])
    const undone = await on.run(`${undo} --confirm production`)
    expect(undone.exitCode, undone.stderr + undone.stdout).toBe(0)
    expect((await on.json('production', 'tools get 2')).timeout).toBe(15)
    expect(await on.json('production', 'tools list')).not.toContainEqual(expect.objectContaining({ name: 'weather' }))
    expect(await on.run(diff)).toMatchObject({ exitCode: 0, stdout: 'No differences.\n' })
    on.takeWrites()
    for (const again of [`${undo} --confirm production`, 'promote undo --to production --confirm production'])
      expect(await on.run(again)).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing to undo') })
    expect(on.takeWrites()).toEqual([])
  })

  test('documents come from files, those without content are named, and undo removes them', async () => {
    const on = await twoPlatforms()
    const document = 'knowledge documents add 1 --profile'
    writeFileSync(join(on.by.cwd, 'prices.txt'), 'A filling costs 80 USD.')
    for (const words of [
      `${document} staging --name Site --url https://clinic.example`,
      `${document} staging --name Prices --upload prices.txt`,
      `${document} staging --name Hidden --url https://hidden.example`,
      `${document} production --name Own --url https://own.example`,
    ])
      expect(await on.run(words)).toMatchObject({ exitCode: 0 })
    const names = async (): Promise<string[]> =>
      (await on.json('production', 'knowledge documents list 1')).map((it: { name: string }) => it.name)
    const before = await names()
    const [base] = await on.json('production', 'knowledge list')
    on.takeWrites()
    const without = await on.run(confirmed)
    expect(without).toMatchObject({
      exitCode: 20,
      stderr: expect.stringMatching(
        /does not return their content:\n.*: "Site" \(website\), "Prices" \(txt\), "Hidden" \(website\)/,
      ),
    })
    expect(on.takeWrites()).toEqual([])
    expect(await on.run(`${confirmed} --skip-fields documents`)).toMatchObject({ exitCode: 0 })
    const folder = join(on.by.cwd, 'project/knowledge')
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'clinic.yaml'),
      `name: ${base.name}\ndocuments:\n  - name: Site\n    type: website\n    url: https://clinic.example\n  - name: Prices\n    type: txt\n    file: ../../prices.txt\n`,
    )
    const done = await on.run(`${confirmed} --documents project`)
    expect(done.exitCode, done.stderr).toBe(20)
    expect(done.stderr).toContain(': "Hidden" (website)\n')
    expect(await names()).toEqual([...before, 'Site', 'Prices'])
    on.takeWrites()
    expect(await on.run(`${confirmed} --documents project`)).toMatchObject({ exitCode: 20, stdout: '' })
    expect(on.takeWrites()).toEqual([])
    expect(await on.run(`${confirmed} --documents none`)).toMatchObject({ exitCode: 2 })
    const undone = await on.run('promote undo --to production --confirm production')
    expect(undone.exitCode, undone.stderr).toBe(0)
    expect(await names()).toEqual(before)
  })

  test('--wait waits until the promoted knowledge bases are active, also with the same command again', async () => {
    let isProcessed = false
    const on = await twoPlatforms(undefined, async (handle, request) => {
      const reply = await handle(request)
      const isList = request.url.endsWith('/knowledgebases')
      return isProcessed && isList ? { ...reply, body: String(reply.body).replaceAll('processing', 'active') } : reply
    })
    const site = '--name Site --url https://clinic.example'
    expect(await on.run(`knowledge documents add 1 --profile staging ${site}`)).toMatchObject({ exitCode: 0 })
    const [base] = await on.json('staging', 'knowledge list')
    const folder = join(on.by.cwd, 'project/knowledge')
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'clinic.yaml'),
      `name: ${base.name}\ndocuments:\n  - name: Site\n    type: website\n    url: https://clinic.example\n`,
    )
    const line = `${confirmed} --documents project --wait --wait-timeout 5s`
    expect(await on.run(line)).toMatchObject({
      exitCode: 14,
      stderr: expect.stringContaining(`It is processing, knowledge: ${base.name} (processing).`),
    })
    isProcessed = true
    expect(await on.run(line)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/Promotion is active after/),
    })
  })

  test('undo names what the promotion created and cannot be deleted, and does not exit with 0', async () => {
    const on = await twoPlatforms()
    const created = await on.run(
      '--profile staging sip-trunks create --sip-trunk-type extension --phone-number 2002 --sip-username desk-2002 --sip-password secret --sip-address pbx.example --sip-calling-format e164 --inbound-authorization-type auth --country-code US',
    )
    expect(created.exitCode, created.stderr).toBe(0)
    const promoted = await on.run(`${confirmed} --only sip-trunks`, { env: { _2002_SIP_PASSWORD: 'secret' } })
    expect(promoted.exitCode, promoted.stderr).toBe(0)
    const undone = await on.run('promote undo --to production --confirm production')
    expect(undone.exitCode, undone.stderr).toBe(20)
    expect(undone.stderr).toContain('because the platform cannot delete them: sip-trunks/2002.yaml')
    expect(await on.run('promote undo --to production --confirm production')).toMatchObject({
      stderr: expect.stringContaining('Nothing to undo in profile "production".'),
    })
  })

  test.each([
    ['promote --from stagin --to production', 'Unknown profile "stagin" (from --from). Did you mean "staging"?'],
    ['promote --from staging --to prodction', 'Unknown profile "prodction" (from --to). Did you mean "production"?'],
    ['promote undo --to prodction', 'Unknown profile "prodction" (from --to). Did you mean "production"?'],
  ])('%s names the flag of the unknown profile', async (words, message) => {
    const on = await twoPlatforms()
    expect(await on.run(words)).toMatchObject({ exitCode: 4, stderr: expect.stringContaining(message) })
    expect(on.takeWrites()).toEqual([])
  })

  test('undo refuses a profile whose URL was changed since the promotion', async () => {
    const on = await twoPlatforms()
    await changeStaging(on)
    expect(await on.run(confirmed, secret)).toMatchObject({ exitCode: 0 })
    on.takeWrites()
    await on.run(`profile set production --url ${stagingUrl}`)
    const refused = await on.run('promote undo --to production --confirm production')
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain(`was to ${productionUrl}, and the profile now uses ${stagingUrl}`)
    expect(on.takeWrites()).toEqual([])
  })

  test('refuses what the target lacks, with every reference at once', async () => {
    const on = await twoPlatforms()
    await changeStaging(on)
    expect(
      await on.run('promote assistants/front-desk --from staging --to production --confirm production'),
    ).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /lacks resources[\s\S]*assistants\/front-desk.yaml: tool_ids.\d: no tool "weather"/,
      ),
    })
    const partly = await on.run(
      'promote assistants/front-desk --from staging --to production --skip-fields tool_ids --confirm production',
    )
    expect(partly.exitCode, partly.stderr).toBe(0)
    expect(on.takeWrites()).toEqual(['production PUT /api/user/assistant/1'])
  })

  test('refuses a target that was changed since, before or during the run, with the difference', async () => {
    const on = await twoPlatforms()
    await changeStaging(on)
    expect(await on.run(confirmed, secret)).toMatchObject({ exitCode: 0 })
    await on.run('--profile production tools update 2 --tool-timeout 9')
    // Also what the last promotion found unchanged.
    await on.run('--profile production tools update 1 --tool-timeout 8')
    on.takeWrites()
    expect((await on.run(confirmed, secret)).stderr).toMatch(/tools\/lookup-patient.yaml: timeout: 8 -> \d/)
    expect(await on.run(confirmed, secret)).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('tools/book-appointment.yaml: timeout: 9 -> 20'),
    })
    expect(on.takeWrites()).toEqual([])
    expect(await on.run(`${confirmed} --force`, secret)).toMatchObject({ exitCode: 0 })
    await on.run('--profile staging tools update 2 --tool-timeout 30')
    on.takeWrites()
    let changed = false
    on.onProduction(async (method, url) => {
      if (changed || method !== 'GET' || !/\/tools?\/2$/.test(url)) return
      changed = true
      expect(await on.run('--profile production tools update 2 --tool-timeout 11')).toMatchObject({ exitCode: 0 })
    })
    const during = await on.run(confirmed, secret)
    expect(during).toMatchObject({ exitCode: 5, stdout: expect.stringContaining('timeout: 20 -> 11') })
    expect((await on.json('production', 'tools get 2')).timeout).toBe(11)
  })

  test('preserves what was changed on the target in other fields, also later, and shows it', async () => {
    const on = await twoPlatforms()
    await changeStaging(on)
    expect(await on.run(confirmed, secret)).toMatchObject({ exitCode: 0 })
    await on.run(['--profile', 'production', 'tools', 'update', '2', '--description', 'Hotfix'])
    await on.run('--profile staging tools update 2 --tool-timeout 30')
    on.takeWrites()
    const merged = await on.run(`${confirmed} -q`, secret)
    expect(merged).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/Preserved changes of profile "production"[\s\S]*description: .*becomes "Hotfix"/),
    })
    expect(on.takeWrites()).toEqual(['production PUT /api/user/tools/2'])
    const live = { timeout: 30, description: 'Hotfix' }
    expect(await on.json('production', 'tools get 2')).toMatchObject(live)
    // The same command again, and a later change of the source, do not overwrite it.
    expect(await on.run(confirmed, secret)).toMatchObject({ exitCode: 0 })
    expect(on.takeWrites()).toEqual([])
    await on.run('--profile staging tools update 2 --tool-timeout 29')
    on.takeWrites()
    expect(await on.run(confirmed, secret)).toMatchObject({ exitCode: 0 })
    expect(await on.json('production', 'tools get 2')).toMatchObject({ ...live, timeout: 29 })
  })

  test('shows a field that both changed with its three values, and with --force the value that is lost', async () => {
    const on = await twoPlatforms()
    await changeStaging(on)
    expect(await on.run(confirmed, secret)).toMatchObject({ exitCode: 0 })
    await on.run('--profile production tools update 2 --tool-timeout 9')
    await on.run('--profile staging tools update 2 --tool-timeout 30')
    on.takeWrites()
    const refused = await on.run(confirmed, secret)
    expect(refused).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('timeout: was 20; profile "production": 9; profile "staging": 30'),
    })
    expect(refused.stderr).not.toMatch(/platform: |file: |timeout: 9 -> 30/)
    expect(refused.stderr.split('timeout:').length).toBe(2)
    expect(on.takeWrites()).toEqual([])
    const forced = await on.run(`${confirmed} --force -q`, secret)
    expect(forced).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('timeout: 9 becomes 30') })
  })

  test('asks again when the target is changed while its name is typed', async () => {
    const on = await twoPlatforms()
    await changeStaging(on)
    const run = await on.run(line, {
      ...secret,
      answers: [
        [
          'Type production',
          async () => {
            await on.run('--profile production tools update 2 --tool-timeout 9')
            on.takeWrites()
            return 'production'
          },
        ],
        ['Type production', 'no'],
      ],
    })
    expect(run).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('timeout: 15 -> 9') })
    expect(on.takeWrites()).toEqual([])
  })

  test('two at once refuse one another', async () => {
    const on = await twoPlatforms()
    await changeStaging(on)
    let second: Awaited<ReturnType<typeof on.run>> | undefined
    on.onProduction(async (method) => {
      if (second || method === 'GET') return
      on.onProduction(undefined)
      second = await on.run(confirmed, secret)
    })
    expect(await on.run(confirmed, secret)).toMatchObject({ exitCode: 0 })
    expect(second).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('is changing profile "production"') })
  })

  test('with --test it promotes nothing if a scenario fails', async () => {
    const on = await twoPlatforms()
    await changeStaging(on)
    expect(await on.run('pull practice --profile staging')).toMatchObject({ exitCode: 0 })
    const scenario = (text: string): void => {
      mkdirSync(join(on.by.cwd, 'practice/tests'), { recursive: true })
      writeFileSync(
        join(on.by.cwd, 'practice/tests/thanks.yaml'),
        `assistant: Front desk\nscenarios:\n  - name: Thanks\n    turns:\n      - say: Thanks\n        expect: {contains: ${text}}\n`,
      )
    }
    scenario('never said')
    on.takeWrites()
    const refused = await on.run(`${confirmed} --test practice --json`, secret)
    expect(refused).toMatchObject({ exitCode: 20, stdout: '', stderr: expect.stringContaining('nothing was promoted') })
    expect(on.takeWrites()).toEqual([])
    scenario('You are welcome')
    const done = await on.run(`${confirmed} --test practice --json`, secret)
    expect(done.exitCode, done.stderr).toBe(0)
    expect(JSON.parse(done.stdout)).toHaveLength(4)
  })

  test('uses only the platforms of --from and --to', async () => {
    const on = await twoPlatforms()
    for (const [words, env] of [
      [`${line} --profile production`, {}],
      [`${line} --base-url https://other.example`, {}],
      [line, { PARLEY_BASE_URL: 'https://other.example' }],
      [line, { PARLEY_API_KEY: 'key' }],
      ['promote --from staging --to staging', {}],
      ['promote --to production', {}],
      ['promote undo', {}],
    ] as const)
      expect(await on.run(words, { env })).toMatchObject({ exitCode: 2 })
    writeFileSync(join(on.by.cwd, '.parley.yaml'), 'profile: production\n')
    const run = await on.run('promote --from production --to staging --confirm staging', {
      env: { PARLEY_PROFILE: 'production' },
    })
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('to profile "staging"') })
  })
})

describe('a promotion that is cut', () => {
  test.each(['before', 'after'] as const)(
    '%s the answer to any request resumes, and nothing is sent twice',
    async (when) => {
      const on = await twoPlatforms()
      await changeStaging(on)
      const all: string[] = []
      let cuts = 0
      for (let n = 1; ; n++) {
        on.cut(n, when)
        const run = await on.run(confirmed, secret)
        all.push(...on.takeWrites())
        const isCut = on.takeRequests().length >= n
        if (!isCut || run.exitCode === 0) break
        cuts++
        expect(run.exitCode, run.stderr).not.toBe(0)
      }
      on.cut(0, when)
      const last = await on.run(confirmed, secret)
      expect(last.exitCode, last.stderr).toBe(0)
      all.push(...on.takeWrites())
      expect(cuts).toBeGreaterThan(5)
      expect(all.filter((it) => it.includes('POST'))).toHaveLength(2)
      expect(all.filter((it) => it.includes('PUT') && it.includes('/tool'))).toHaveLength(1)
      expect(
        (await on.json('production', 'tools list')).filter((it: { name: string }) => it.name === 'weather'),
      ).toHaveLength(1)
      expect((await on.json('production', 'assistants get 1')).max_duration).toBe(300)
      expect(await on.json('production', 'history list')).toMatchObject([{ action: 'promote', state: 'done' }])
      const undone = await on.run('promote undo --to production --confirm production')
      expect(undone.exitCode, undone.stderr + undone.stdout).toBe(0)
      expect((await on.json('production', 'assistants get 1')).max_duration).toBe(600)
      expect(await on.json('production', 'tools list')).not.toContainEqual(expect.objectContaining({ name: 'weather' }))
    },
  )
})
