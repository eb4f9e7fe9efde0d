import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { keys } from '../support/terminal.ts'
import { newPlace, parley } from './support/built-program.ts'
import type { RelayedAnswer } from './support/relay.ts'
import { type Staging, staging } from './support/staging.ts'

// Promises at the moment a person relies on them: something interferes between the question and the request, before the
// read that an undo needs, or when the answer returns. After each, platform, ledger, history, exit code and text must agree.

const yes = `y${keys.enter}`
const no = `n${keys.enter}`
const question = '(y/N)'

const json = (status: number, body: unknown, headers: Record<string, string> = {}): RelayedAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  text: JSON.stringify(body),
})
const noContent = (): RelayedAnswer => ({ status: 204, headers: {}, text: '' })
const historyOf = (it: Staging) => it.json('history list') as Promise<{ entry: number; noun: string }[]>

describe('a purchase on a terminal', () => {
  const set = async () => {
    const staged = await staging()
    const price = { now: 0.9 as number | null }
    staged.between.alter = ({ url }, answer) =>
      url?.includes('/phone-numbers/')
        ? { ...answer, text: answer.text.replaceAll(/"price":[\d.]+/g, `"price":${JSON.stringify(price.now)}`) }
        : answer
    return { staged, before: staged.books(), price }
  }
  const buy = 'numbers buy --country GB --contains 20 --max-price 1.5'

  test('without a published price says so, and needs --max-price any', async () => {
    const { staged, before, price } = await set()
    price.now = null
    const refused = await staged.ask('numbers buy +442085346444', [])
    expect([refused.exitCode !== 0, staged.writes()], refused.text).toEqual([true, []])
    expect(refused.text).toMatch(/price.*unknown|unknown.*price/i)
    expect(staged.books()).toEqual(before)
  })

  test('with --yes on a terminal needs --max-price any too', async () => {
    const { staged, before, price } = await set()
    price.now = null
    const refused = await staged.ask('numbers buy +442085346444 --yes', [])
    expect([refused.exitCode, staged.writes()], refused.text).toEqual([10, []])
    expect(refused.text).toContain('--max-price any')
    expect(staged.books()).toEqual(before)
  })

  test('with --yes sends one request, and asks for no quote', async () => {
    const { staged, before } = await set()
    const { exitCode, stderr } = await staged.run('numbers buy +15005550006 --yes')
    expect(exitCode, stderr).toBe(0)
    expect(staged.seen.filter((one) => one.includes('search'))).toEqual([])
    expect(staged.writes()).toHaveLength(1)
    expect(staged.books()).toMatchObject({ numbers: before.numbers + 1 })
  })

  test('interrupted at the question buys nothing', async () => {
    const { staged, before } = await set()
    const { exitCode, text } = await staged.ask(buy, [
      ['0.90', keys.enter],
      [question, keys.ctrlC],
    ])
    expect([exitCode, staged.writes()], text).toEqual([130, []])
    expect(staged.books()).toEqual(before)
  })

  test('whose answer is dropped is one purchase, known as open and found by reconcile', async () => {
    const { staged, before } = await set()
    staged.between.after = ({ method }) => (method === 'POST' ? 'drop' : undefined)
    const { exitCode } = await staged.ask(buy, [
      ['0.90', keys.enter],
      [question, yes],
    ])
    expect(exitCode).toBe(12)
    delete staged.between.after
    expect((await staged.run('ops reconcile')).exitCode).toBe(0)
    expect(staged.books()).toMatchObject({ numbers: before.numbers + 1, charges: before.charges + 1 })
  })
})

describe('while a question is open', () => {
  test('a folder that a colleague renames is not deleted without a new question', async () => {
    const staged = await staging()
    const { exitCode, text } = await staged.ask('folders delete 1', [
      [
        question,
        async () => {
          expect((await staged.colleague('folders update 1 --name Renamed')).exitCode).toBe(0)
          return yes
        },
      ],
      ['Renamed'],
      [question, no],
    ])
    expect([exitCode, staged.writes()], text).toEqual([10, []])
    expect(await staged.json('folders list')).toContainEqual(expect.objectContaining({ id: 1, name: 'Renamed' }))
  })

  test('an automation that a colleague disables is not restored without a new question', async () => {
    const staged = await staging()
    const [automation] = (await staged.json('automate list')) as { id: string; name: string }[]
    const typed = `${automation?.name}${keys.enter}`
    const { exitCode, text } = await staged.ask(`automate restore ${automation?.id}`, [
      [
        'to confirm:',
        async () => {
          expect((await staged.colleague(`automate disable ${automation?.id} --yes`)).exitCode).toBe(0)
          return typed
        },
      ],
      [question, no],
    ])
    expect([exitCode, staged.writes()], text).toEqual([10, []])
    expect(await staged.json(`automate versions list ${automation?.id}`)).toMatchObject([{ live: true, number: 2 }, {}])
  })

  test('a push overwrites nothing that a colleague changed since the pull', async () => {
    const staged = await staging()
    expect((await staged.run('pull all --only tools')).exitCode).toBe(0)
    const file = join(staged.at.dir, 'all/tools/lookup-patient.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/timeout: \d+/, 'timeout: 12'))
    await staged.colleague('tools update 1 --tool-timeout 19')
    const { exitCode, stderr } = await staged.run('push all --only tools --yes')
    expect([exitCode, staged.writes()], stderr).toEqual([5, []])
    expect(await staged.json('tools get 1')).toMatchObject({ timeout: 19 })
  })

  test('an undo leaves what a colleague changed', async () => {
    const staged = await staging()
    await staged.run('tools update 1 --tool-timeout 12')
    const [entry] = await historyOf(staged)
    staged.seen.length = 0
    await staged.colleague('tools update 1 --tool-timeout 19')
    const { exitCode } = await staged.run(`history undo ${entry?.entry} --yes`)
    expect([exitCode, staged.writes()]).toEqual([5, []])
    expect(await staged.json('tools get 1')).toMatchObject({ timeout: 19 })
  })
})

describe('while a push of several files runs', () => {
  const folder = 'all --only tools'
  const edited = async () => {
    const staged = await staging()
    expect((await staged.run(`pull ${folder}`)).exitCode).toBe(0)
    const edit = (name: string) => {
      const file = join(staged.at.dir, `all/tools/${name}.yaml`)
      writeFileSync(file, readFileSync(file, 'utf8').replace(/timeout: \d+/, 'timeout: 12'))
    }
    return { staged, edit }
  }

  test('a tool that a colleague changes after the first write is not overwritten; the others are written', async () => {
    const { staged, edit } = await edited()
    for (const name of ['book-appointment', 'lookup-patient', 'quote-treatment']) edit(name)
    let isChanged = false
    staged.between.before = async ({ method }) => {
      if (method !== 'PUT' || isChanged) return undefined
      isChanged = true
      expect((await staged.colleague('tools update quote_treatment --tool-timeout 19')).exitCode).toBe(0)
      return undefined
    }
    const { exitCode, stdout, stderr } = await staged.run(`push ${folder} --yes --json`)
    expect(exitCode, stderr).toBe(5)
    expect(JSON.parse(stdout)).toMatchObject([{ done: 'updated' }, { done: 'updated' }, { done: 'conflict' }])
    expect(staged.writes()).toHaveLength(2)
    expect(await staged.json('tools get quote_treatment')).toMatchObject({ timeout: 19 })
    expect(await historyOf(staged)).toHaveLength(2)
  })

  test('without a colleague each tool is written once, and the last line names the profile', async () => {
    const { staged, edit } = await edited()
    for (const name of ['book-appointment', 'lookup-patient']) edit(name)
    staged.seen.length = 0
    const { exitCode, stderr } = await staged.run(`push ${folder} --yes`)
    expect([exitCode, staged.writes().length, stderr.trimEnd().split('\n').at(-1)]).toEqual([0, 2, 'Done. [staging]'])
  })

  test('a tool that is deleted after the first write is not created again', async () => {
    const { staged, edit } = await edited()
    for (const name of ['book-appointment', 'quote-treatment']) edit(name)
    let isDeleted = false
    staged.between.before = async ({ method }) => {
      if (method !== 'PUT' || isDeleted) return undefined
      isDeleted = true
      const { exitCode } = await staged.colleague('tools delete quote_treatment --yes --confirm quote_treatment')
      expect(exitCode).toBe(0)
      return undefined
    }
    const { exitCode, stdout, stderr } = await staged.run(`push ${folder} --yes`)
    expect(exitCode, stderr).toBe(5)
    expect(stdout).toContain('conflict')
    expect(await staged.json('tools list')).not.toContainEqual(expect.objectContaining({ name: 'quote_treatment' }))
  })
})

describe('a file that a pull overwrites', () => {
  test('can be restored with the command that it prints', async () => {
    const staged = await staging()
    expect((await staged.run('pull all --only tools')).exitCode).toBe(0)
    const file = join(staged.at.dir, 'all/tools/lookup-patient.yaml')
    const mine = readFileSync(file, 'utf8').replace(/timeout: \d+/, 'timeout: 12')
    writeFileSync(file, mine)
    await staged.colleague('tools update lookup_patient --tool-timeout 19')
    const { exitCode, stderr } = await staged.run('pull all --only tools --force-remote -q')
    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain('timeout: 12 becomes 19')
    expect(readFileSync(file, 'utf8')).toContain('timeout: 19')
    execFileSync('sh', ['-c', /cp '.*/.exec(stderr)?.[0] ?? 'false'])
    expect(readFileSync(file, 'utf8')).toBe(mine)
  })
})

describe('a secret that a colleague replaces', () => {
  test('is not overwritten by a push whose environment has another one', async () => {
    const staged = await staging()
    const env = { CRM_AUTHORIZATION: 'Bearer first-secret-value' }
    const header = (value: string) => ['--header', `Authorization: Bearer ${value}-secret-value`]
    const created = await staged.colleague([
      ...'tools create --name crm --description CRM --endpoint https://crm.example --method GET'.split(' '),
      ...header('first'),
    ])
    expect(created.exitCode, created.stderr).toBe(0)
    expect((await staged.run('pull all --only tools')).exitCode).toBe(0)
    await staged.colleague(['tools', 'update', 'crm', ...header('their')])
    const { exitCode, stderr } = await staged.run('push all --only tools --yes', { env })
    expect([exitCode, staged.writes()], stderr).toEqual([5, []])
    expect(stderr).not.toMatch(/first-secret|their-secret/)
    const forced = await staged.run('push all --only tools --force-local --yes', { env })
    expect([forced.exitCode, staged.writes().length], forced.stderr).toEqual([0, 1])
  })
})

describe('when the state before a change cannot be read', () => {
  const update = {
    tools: 'tools update 1 --tool-timeout 12',
    assistants: 'assistants update 1 --max-duration 300',
    labels: 'labels update 1 --name other',
    numbers: 'numbers update 4 --nickname other',
  }
  const failing = async (answer: RelayedAnswer | 'drop'): Promise<Staging> => {
    const staged = await staging()
    if (answer === 'drop') staged.between.before = ({ method }) => (method === 'GET' ? 'drop' : undefined)
    else staged.between.instead = ({ method }) => (method === 'GET' ? answer : undefined)
    return staged
  }

  test.each([
    [503, 8],
    [401, 3],
    [403, 3],
    [429, 7],
    ['drop', 9],
  ] as const)('a read that is answered %s ends every update before its write', async (status, exit) => {
    const staged = await failing(status === 'drop' ? 'drop' : json(status, { message: 'No.' }))
    for (const line of Object.values(update))
      for (const flag of ['', ' -q']) {
        const { exitCode, stderr } = await staged.run(`${line}${flag} --json --retries 0`)
        expect([exitCode, staged.writes()], `${line}: ${stderr}`).toEqual([exit, []])
        expect(JSON.parse(stderr).error.code, line).toBe('undo_unavailable')
      }
  })

  test.each([405, 501])(
    'a platform without the endpoint (%i) is changed with a warning, and says that there is no undo',
    async (status) => {
      const staged = await failing(json(status, { message: 'No.' }))
      const { exitCode, stdout, stderr } = await staged.run('tools update 1 --tool-timeout 12 -q --json')
      expect(staged.writes()).toEqual(['PUT /api/user/tools/1'])
      expect([exitCode, JSON.parse(stdout).undo], stderr).toEqual([0, false])
      expect(stderr).toContain('undo')
    },
  )

  test('a campaign can be stopped, with a warning', async () => {
    const staged = await staging()
    expect((await staged.colleague('campaigns start 1 --yes')).exitCode).toBe(0)
    staged.between.instead = ({ method }) => (method === 'GET' ? json(503, { message: 'No.' }) : undefined)
    const { exitCode, stderr } = await staged.run('campaigns stop 1 --yes --retries 0')
    expect(exitCode, stderr).toBe(0)
    expect(staged.writes()).toHaveLength(1)
  })

  test('a home that cannot be written works with PARLEY_HISTORY=off, and changes nothing without', async () => {
    const staged = await staging()
    const at = newPlace()
    mkdirSync(at.data, { recursive: true })
    writeFileSync(join(at.data, 'history'), 'a file where the folder would be')
    chmodSync(join(at.data, 'history'), 0o400)
    const env = { PARLEY_API_KEY: staged.server.key, PARLEY_BASE_URL: staged.server.url }
    const refused = await parley('tools update 1 --tool-timeout 12', { at, env })
    expect(refused.exitCode, refused.stderr).toBe(2)
    expect(await staged.json('tools get 1')).toMatchObject({ timeout: 10 })
    const off = await parley('tools update 1 --tool-timeout 12', { at, env: { ...env, PARLEY_HISTORY: 'off' } })
    expect(off.exitCode, off.stderr).toBe(0)
    expect(await staged.json('tools get 1')).toMatchObject({ timeout: 12 })
  })
})

describe('two people change one resource', () => {
  const pulled = async (): Promise<{ staged: Staging; edit: (from: RegExp, to: string) => void }> => {
    const staged = await staging()
    const { exitCode, stderr } = await staged.run('pull all --only assistants')
    expect(exitCode, stderr).toBe(0)
    const file = join(staged.at.dir, 'all/assistants/front-desk.yaml')
    return { staged, edit: (from, to) => writeFileSync(file, readFileSync(file, 'utf8').replace(from, to)) }
  }

  test('in different fields: both changes are on the platform after a push', async () => {
    const { staged, edit } = await pulled()
    edit(/llm_temperature: [\d.]+/, 'llm_temperature: 0.7')
    await staged.colleague(['assistants', 'update', '1', '--initial-message', 'Good morning, how can I help you?'])
    const { exitCode, stderr } = await staged.run('push all --only assistants --yes')
    expect(exitCode, stderr).toBe(0)
    expect(await staged.json('assistants get 1')).toMatchObject({
      llm_temperature: 0.7,
      initial_message: 'Good morning, how can I help you?',
    })
  })

  test('in the same field: a forced push prints what is lost, also with -q, and the history has it', async () => {
    const { staged, edit } = await pulled()
    edit(/llm_temperature: [\d.]+/, 'llm_temperature: 0.7')
    await staged.colleague('assistants update 1 --llm-temperature 0.4')
    const refused = await staged.run('push all --only assistants --yes')
    expect(refused.exitCode, refused.stderr).toBe(5)
    const { exitCode, stderr } = await staged.run('push all --only assistants --force-local --yes -q')
    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain('0.4')
    expect(await staged.json('assistants get 1')).toMatchObject({ llm_temperature: 0.7 })
    const [entry] = await historyOf(staged)
    expect((await staged.run(`history undo ${entry?.entry} --yes`)).exitCode).toBe(0)
    expect(await staged.json('assistants get 1')).toMatchObject({ llm_temperature: 0.4 })
  })
})

describe('a mask that the platform shows', () => {
  test.each(['********', '••••1234', '[redacted]', '<secret>'])('%s is never stored over the secret', async (mask) => {
    const staged = await staging({ plain: true })
    const secret = 'Bearer a-real-secret-1234'
    const header = (value: string) => [
      { name: 'Authorization', value },
      { name: 'Accept', value: 'application/json' },
    ]
    await staged.server.fetch('PUT', 'tools/1', { headers: header(secret) })
    staged.between.alter = (_, answer) => ({ ...answer, text: answer.text.replaceAll(secret, mask) })
    const stored = async () => (await staged.server.fetch('GET', 'tools/1')).body as never as { data?: unknown }
    const { stdout } = await staged.run('tools get 1 -o yaml')
    expect(stdout).not.toContain(secret)
    staged.write('tool.yaml', stdout.replace(/timeout: \d+/, 'timeout: 12'))
    for (const line of [
      'tools update 1 --file tool.yaml',
      ['tools', 'update', '1', '--header', `Authorization: ${mask}`],
      ['tools', 'update', '1', '--data', JSON.stringify({ headers: header(mask) })],
      ['api', 'tools.update', '--data', JSON.stringify({ id: 1, headers: header(mask) })],
    ]) {
      const { exitCode, stderr } = await staged.run(line as string[])
      expect([0, 5], `${line}: ${stderr}`).toContain(exitCode)
      expect(JSON.stringify(await stored()), `${line}: ${stderr}`).toContain(secret)
    }
  })
})

describe('an answer without the change', () => {
  const lines: Readonly<Record<string, string>> = {
    numbers: 'numbers update 4 --nickname other',
    'SIP trunks': 'sip-trunks update 1 --nickname other',
    folders: 'folders update 1 --name other',
    labels: 'labels update 1 --name other',
    knowledge: 'knowledge update 1 --name other',
    tools: 'tools update 1 --tool-timeout 12',
    assistants: 'assistants update 1 --max-duration 300',
  }
  test.each(Object.keys(lines))('204 to an update of %s is success, because the change is read back', async (noun) => {
    const staged = await staging({ plain: true })
    staged.between.alter = ({ method }, answer) => (method === 'PUT' || method === 'PATCH' ? noContent() : answer)
    const { exitCode, stdout, stderr } = await staged.run(lines[noun] as string)
    expect(exitCode, stdout + stderr).toBe(0)
    expect(staged.writes()).toHaveLength(1)
  })

  test('a change that the platform did not make fails', async () => {
    const staged = await staging({ plain: true })
    staged.between.instead = ({ method }) => (method === 'PUT' ? noContent() : undefined)
    const { exitCode, stdout, stderr } = await staged.run('tools update 1 --tool-timeout 12')
    expect(exitCode, stdout + stderr).toBe(20)
    expect(stderr).toContain('timeout')
  })
})

describe('a creation that is answered 429 after it was accepted', () => {
  const lines: Readonly<Record<string, [string | string[], string]>> = {
    lead: [['leads', 'create', '--campaign', '1', '--phone-number', '+14155550188'], 'lead'],
    tool: [
      [
        'tools',
        'create',
        '--name',
        'find_slot',
        '--description',
        'Find a free slot.',
        '--endpoint',
        'https://x.example/slots',
        '--method',
        'GET',
        '--tool-timeout',
        '5',
      ],
      'tool',
    ],
    campaign: [['campaigns', 'create', '--name', 'Autumn', '--assistant', '1', '--timezone', 'UTC'], 'campaign'],
  }
  test.each(Object.keys(lines))('makes one %s', async (noun) => {
    const staged = await staging({ plain: true })
    const [line, table] = lines[noun] as [string[], string]
    const { rowsOf } = await import('./support/holdings.ts')
    const count = () => Number(rowsOf(staged.server.at, [`select count(*) as n from ${table}`])[0]?.[0]?.n)
    const before = count()
    let isFirst = true
    staged.between.alter = ({ method }, answer) => {
      if (method !== 'POST' || !isFirst) return answer
      isFirst = false
      return json(429, { message: 'Too Many Attempts.' }, { 'retry-after': '1' })
    }
    const { exitCode, stdout, stderr } = await staged.run(line)
    expect(count(), stdout + stderr).toBe(before + 1)
    expect([0, 12], stdout + stderr).toContain(exitCode)
  })
})

describe('a field that is accepted and ignored', () => {
  test('of another mode is refused before anything is sent', async () => {
    const staged = await staging()
    const { exitCode, stderr } = await staged.run([
      ...'assistants create --name Other --mode multimodal --multimodal-model 1 --voice 1 --language 1 --type inbound --timezone UTC --llm-temperature 0.3 --speech-speed 1.1'.split(
        ' ',
      ),
      '--initial-message',
      'Hello, how can I help you?',
      '--system-prompt',
      'You answer the phone.',
    ])
    expect([exitCode, staged.writes()], stderr).toEqual([2, []])
    expect(stderr).toContain('speech_speed')
  })

  test('unexpectedly by the platform is exit 20, with the fields in the JSON', async () => {
    const staged = await staging({ plain: true })
    staged.between.alter = ({ method }, answer) =>
      method === 'PUT' ? { ...answer, text: answer.text.replace(/"timeout":\d+/, '"timeout":10') } : answer
    staged.between.instead = ({ method }, body) => {
      if (method === 'PUT' && body.includes('"timeout"'))
        return json(200, { message: 'ok', data: { id: 1, timeout: 10 } })
      return undefined
    }
    const { exitCode, stdout, stderr } = await staged.run('tools update 1 --tool-timeout 12 --json')
    expect(exitCode, stdout + stderr).toBe(20)
    expect(JSON.parse(stdout).ignored, stdout).toEqual(['timeout'])
  })
})

describe('with a clock that was advanced', () => {
  test('every filter by time speaks of the time of the platform', async () => {
    const staged = await staging()
    const advanced = await parley('server clock advance 40d', { at: staged.server.at })
    expect(advanced.exitCode, advanced.stderr).toBe(0)
    const counts = async (line: string) => ((await staged.json(line)) as unknown[]).length
    expect(await counts('calls list --since 2d')).toBe(0)
    expect(await counts('automate runs list --since 3h')).toBe(0)
    const { stdout } = await staged.run('numbers list')
    expect(stdout).not.toContain('just now')
  })
})

test('a reset says what is lost, and asks again when a colleague adds something', async () => {
  const at = newPlace()
  expect((await parley('server seed --seed 7', { at })).exitCode).toBe(0)
  const { atTerminal } = await import('./support/program-terminal.ts')
  const { exitCode, screen } = await atTerminal(
    'server reset',
    [
      [
        '4 tools',
        async () => {
          const line = 'tools create --name late --description Late --endpoint https://x.example --method GET'
          const created = await parley(line, { at })
          expect(created.exitCode, created.stderr).toBe(0)
          return yes
        },
      ],
      ['5 tools', no],
    ],
    { at, columns: 200 },
  )
  expect(exitCode, screen).toBe(10)
  expect(screen).toContain('tools: 4 -> 5')
})

test('a question on the local platform says that it is simulated', async () => {
  const staged = await staging()
  const at = newPlace()
  const { atTerminal } = await import('./support/program-terminal.ts')
  const { screen } = await atTerminal('folders delete 1', [[question, no]], { at, columns: 200 })
  expect(screen).toContain('simulated')
  expect(staged.writes()).toEqual([])
})
