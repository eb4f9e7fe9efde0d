import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { code, delay, event, hook, respond } from '../../../support/flow-definitions.ts'
import { type Operator, operator } from '../../../support/operator.ts'
import { answered, greet, greeting, isRestore, lostAnswer, plain, running } from './deployments.ts'

type Greeting = Operator & { readonly id: string }

/** "Greeting" with three versions: Hello, Bye, Third; the last is live. */
async function three(): Promise<Greeting> {
  const by = await greeting({ 'third.json': greet('Third') })
  for (const file of ['bye.json', 'third.json']) await by.json(`automate update Greeting --file ${file}`)
  return by
}
const writes = (requests: readonly string[]): readonly string[] => requests.filter((it) => !it.startsWith('GET'))

describe('a restore', () => {
  test('shows the changes, the binding, runs in progress and needed resources, then asks for confirmation', async () => {
    const by = await three()
    const refused = await by.run('automate restore Greeting')
    expect(refused).toMatchObject({ exitCode: 10, stdout: '' })
    expect(writes(refused.requests)).toEqual([])
    expect(refused.stderr).toMatch(/settings\.input\.fields\.body\.text: "Third .*" -> "Bye .*"/)
    expect(refused.stderr).toContain('Bound to: no event.')
    expect(refused.stderr).toContain('No runs in progress.')
    expect(refused.stderr).toContain('The automation stays enabled.')
    const done = await by.run('automate restore Greeting', { answers: [['Restore version 2 of', 'Greeting']] })
    expect(done).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Restored version 2 as version 4.') })
    expect(done.stderr).toContain(`Undo: parley automate restore ${by.id} --to 3\n`)
    expect(await running(by)).toEqual(['enabled', 'Bye'])
  })

  test('of a disabled automation says how to enable it', async () => {
    const by = await three()
    await by.json('automate disable Greeting')
    const { stdout, stderr } = await by.run('automate restore Greeting --yes')
    expect(stdout).toContain('The automation stays disabled.')
    expect(stderr).toContain(`Enable it: parley automate enable ${by.id}`)
    await by.json('automate enable Greeting')
    expect((await by.run('automate restore Greeting --yes')).stderr).not.toContain('Enable it')
  })

  test('leaves the list of versions with what each changed; a draft is not called the first version', async () => {
    const by = await three()
    const failed = await by.run('automate update Greeting --file broken.json --sample \'{"name": "Ada"}\'')
    expect(failed.exitCode).toBe(20)
    const { stdout } = await by.run('automate versions list Greeting', { terminal: true, columns: 200 })
    const rowOf = (part: string | RegExp): string => stdout.split('\n').find((it) => it.search(part) >= 0) ?? ''
    expect(rowOf(/\bdraft\b/)).not.toContain('first version')
    expect(rowOf(/\blive\b/)).toContain('~ step_2 (settings.input.fields.body.text)')
    expect(rowOf(/^\W*1\b/)).toContain('first version')
    expect(stdout.match(/first version/g)).toHaveLength(1)
  })

  test('with --dry-run sends nothing, as text and as JSON', async () => {
    const by = await three()
    const shown = await by.run('automate restore Greeting --to 1 --dry-run')
    expect(shown).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Would restore version 1 of .*\n~ step_2/),
    })
    expect(writes(shown.requests)).toEqual([])
    expect(await by.json('automate restore Greeting --dry-run')).toMatchObject({
      method: 'POST',
      path: expect.stringMatching(/flows\/\w+\/restore$/),
      to: { number: 2, source: 'platform' },
      difference: { changed: [{ step: 'step_2' }] },
      runs_in_flight: [],
    })
    expect(await running(by)).toEqual(['enabled', 'Third'])
  })

  test('restores any version, reports one that is already live, and lists the versions for an unknown one', async () => {
    const by = await three()
    expect(await by.run('automate restore Greeting --to 1 --yes')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Restored version 1 as version 4.'),
    })
    expect(await running(by)).toEqual(['enabled', 'Hello'])
    const again = await by.run('automate restore Greeting --to 1 --yes')
    expect(again).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Version 1 is already live. Nothing was sent.'),
    })
    expect(writes(again.requests)).toEqual([])
    expect(await by.run('automate restore Greeting --to 9 --yes')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('parley automate versions list'),
    })
    expect(await by.run('automate restore Greeting --to x --yes')).toMatchObject({ exitCode: 2 })
  })

  test('lists runs that are in progress or waiting', async () => {
    const waits = { trigger: hook, steps: [delay({ unit: 'hours', delayFor: 2 })] }
    const by = await greeting({
      'waits.json': waits,
      'other.json': { trigger: hook, steps: [delay({ unit: 'hours', delayFor: 3 })] },
    })
    await by.json('automate create --name Waits --file waits.json')
    await by.json('automate update Waits --file other.json')
    const { json } = by
    const { id } = (await json('automate list')).find((it: { name: string }) => it.name === 'Waits')
    await by.run('automate restore Waits --dry-run')
    expect((await json(`automate restore ${id} --dry-run`)).runs_in_flight).toEqual(expect.any(Array))
  })

  test('keeps a disabled automation disabled, and reports it', async () => {
    const by = await three()
    await by.json('automate disable Greeting')
    expect(await by.run('automate restore Greeting --yes')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('The automation stays disabled.'),
    })
    expect(await running(by)).toEqual(['disabled', 'Bye'])
  })

  test('of a version that was changed since it was read is refused with --if-unchanged', async () => {
    const by = await three()
    await by.run('automate get Greeting -o json').then(({ stdout }) => writeFileSync(join(by.cwd, 'read.json'), stdout))
    await by.json('automate update Greeting --file bye.json')
    const refused = await by.run('automate restore Greeting --yes --if-unchanged read.json')
    expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('changed since it was read') })
    expect(await running(by)).toEqual(['enabled', 'Bye'])
  })
})

describe('two restores at the same moment', () => {
  test('cannot undo each other: the second fails with 5 and reports since when the other version is live', async () => {
    const by = await three()
    let isFirst = true
    const second = await by.run('automate restore Greeting --yes', {
      through: async (handle, request) => {
        if (isRestore(request) && isFirst) {
          isFirst = false
          expect(await by.run('automate restore Greeting --yes')).toMatchObject({ exitCode: 0 })
        }
        return handle(request)
      },
    })
    expect(second).toMatchObject({
      exitCode: 5,
      stdout: '',
      stderr: expect.stringMatching(/version 4 \(\w+\), since 2026-08-04T12:00:00\.000Z/),
    })
    expect(await running(by)).toEqual(['enabled', 'Bye'])
    expect(await by.json('ops list --open')).toEqual([])
  })

  test('to the same version: the second reports since when it is live', async () => {
    const by = await three()
    const second = await by.run('automate restore Greeting --to 1 --yes', {
      through: async (handle, request) => {
        if (isRestore(request)) await by.run('automate restore Greeting --to 1 --yes')
        return handle(request)
      },
    })
    expect(second).toMatchObject({
      exitCode: 5,
      stderr: expect.stringMatching(/version 4 \(\w+\), since|Version 4 is live since 2026-08-04/),
    })
    expect(await running(by)).toEqual(['enabled', 'Hello'])
  })

  test('are noticed right before sending on a deployment without a guard, and the remaining window is stated', async () => {
    const by = await three()
    let gets = 0
    const second = await by.run(
      'automate restore Greeting --yes',
      plain(async (handle, request) => {
        if (request.method === 'GET' && /\/flows\/\w{21}\?/.test(request.url) && ++gets === 2)
          await by.json('automate restore Greeting --yes')
        return handle(request)
      }),
    )
    expect(second).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('was changed by someone else') })
    expect(await running(by)).toEqual(['enabled', 'Bye'])
    const alone = await by.run('automate restore Greeting --yes', plain())
    expect(alone).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('no version guard') })
  })
})

describe('a restore whose answer is lost', () => {
  test('is read back: a restore that was carried out is reported as a success', async () => {
    const by = await three()
    const lost = plain(async (handle, request) => {
      const answer = await handle(request)
      return isRestore(request) ? lostAnswer() : answer
    })
    expect(await by.run('automate restore Greeting --yes', lost)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('The response was lost; the live version was read back.'),
    })
    expect(await running(by)).toEqual(['enabled', 'Bye'])
  })

  test('ends with 12 if it cannot be read back; running the command again does not undo the restore', async () => {
    const by = await three()
    let isCut = false
    const cut = plain(async (handle, request) => {
      if (isCut) return lostAnswer()
      const answer = await handle(request)
      isCut = isRestore(request)
      return isCut ? lostAnswer() : answer
    })
    expect(await by.run('automate restore Greeting --yes', cut)).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining('parley ops reconcile'),
    })
    expect(await by.json('ops list --open')).toMatchObject([{ endpoint: 'automate.restore', state: 'unknown' }])
    const again = await by.run('automate restore Greeting --yes', plain())
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('the restore is done') })
    expect(writes(again.requests)).toEqual([])
    expect(await running(by)).toEqual(['enabled', 'Bye'])
    expect(await by.json('ops list --open')).toEqual([])
  })

  test('that is answered 204 or {} is read back before success is claimed', async () => {
    for (const [status, body] of [
      [204, ''],
      [200, '{}'],
    ] as const) {
      const by = await three()
      const silent = plain(async (handle, request) => {
        const answer = await handle(request)
        return isRestore(request) ? { status, headers: { 'content-type': 'application/json' }, body } : answer
      })
      expect(await by.run('automate restore Greeting --yes', silent), String(status)).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('Restored the previous version'),
      })
      expect(await running(by), String(status)).toEqual(['enabled', 'Bye'])
      const idle = plain(async (handle, request) =>
        isRestore(request) ? { status, headers: { 'content-type': 'application/json' }, body } : handle(request),
      )
      expect(await by.run('automate restore Greeting --yes', idle), String(status)).toMatchObject({
        exitCode: 8,
        stderr: expect.stringContaining('still live'),
      })
    }
  })
})

describe('a restore to a version that can no longer run', () => {
  const bound = (words: string) => ({ trigger: event('newConversation'), steps: [code(`'${words}'`)] })

  test('whose connection was deleted fails before anything is published, and names the connection', async () => {
    const mailing = { trigger: hook, steps: [code('1', { key: "{{connections['crm']}}" })] }
    const by = await greeting({ 'mailing.json': mailing })
    await by.json('server connections create --kind crm-b --name crm')
    await by.json('automate update Greeting --file mailing.json --sample \'{"name": "Ada"}\'')
    await by.json('automate update Greeting --file bye.json')
    await by.json('server connections delete crm --yes')
    const refused = await by.run('automate restore Greeting --yes')
    expect(refused).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('connection crm is missing') })
    expect(writes(refused.requests)).toEqual([])
    expect(await running(by)).toEqual(['enabled', 'Bye'])
    expect((await by.run('automate restore Greeting --dry-run')).stdout).toContain('Needs: connection crm (missing).')
  })

  test.each([
    ['with --yes', { answers: [] }],
    ['at a question', { answers: [['Restore version 1 of', 'Greeting']] }],
  ] as const)('whose campaign was deleted warns that its runs may fail, and restores it: %s', async (how, options) => {
    const by = operator()
    const campaign = await by.json('campaigns create --name Recall --timezone UTC --assistant 1').then((it) => it.id)
    const adding = {
      trigger: hook,
      steps: [
        {
          type: 'PIECE',
          displayName: 'Add them',
          settings: {
            pieceName: '@platform/piece-voice',
            actionName: 'addLead',
            input: { campaign, phone_number: '+14155550111', variables: {} },
          },
        },
      ],
    }
    writeFileSync(join(by.cwd, 'adding.json'), JSON.stringify(adding))
    writeFileSync(join(by.cwd, 'bye.json'), JSON.stringify(greet('Bye')))
    await by.json('automate create --name Greeting --file adding.json --confirm-side-effects')
    await by.json('automate update Greeting --file bye.json --sample \'{"name": "Ada"}\'')
    const restore = `automate restore Greeting${how === 'with --yes' ? ' --yes' : ''}`
    expect((await by.run(`${restore} --dry-run`)).stderr).not.toContain('Missing resources')
    expect((await by.run(`campaigns delete ${campaign} --yes`)).exitCode).toBe(0)
    const { exitCode, stderr } = await by.run(restore, options)
    expect(stderr).toMatch(
      new RegExp(
        `warning:.* Missing resources for version 1 of .*: campaign ${campaign} \\(missing\\)\\. Its runs may fail\\.`,
      ),
    )
    expect(exitCode, stderr).toBe(0)
  })

  test('whose event another automation holds fails with 5 and names that automation', async () => {
    const by = await greeting({ 'bound.json': bound('one'), 'other.json': bound('two') })
    await by.json('automate create --name First --file bound.json --assistant-id 1')
    await by.json('automate update First --file bye.json --sample \'{"name": "Ada"}\'')
    await by.json('automate create --name Second --file other.json --assistant-id 1')
    const refused = await by.run('automate restore First --yes')
    expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('"Second"') })
    expect(writes(refused.requests)).toEqual([])
    const [there] = (await by.json('automate list')).filter((it: { name: string }) => it.name === 'First')
    const refusedThere = await by.run(`automate restore ${there.id} --yes`, plain())
    expect(refusedThere).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('"Second"') })
  })

  test('is not refused for the event of an assistant whose id differs in the last of 16 digits', async () => {
    const by = await greeting({ 'bound.json': bound('one'), 'other.json': bound('two') })
    await by.json('automate create --name First --file bound.json --assistant-id 1')
    await by.json('automate update First --file bye.json --sample \'{"name": "Ada"}\'')
    await by.json('automate create --name Second --file other.json --assistant-id 2')
    const restored = await by.run('automate restore First --dry-run', {
      through: async (handle, request) => {
        const answer = await handle(request)
        return {
          ...answer,
          body: String(answer.body).replaceAll(
            /(?<="assistant_id":)[12]\b/g,
            (it) => `900719925474099${4 + Number(it)}`,
          ),
        }
      },
    })
    expect(restored.stderr).not.toContain('"Second"')
    expect(restored.exitCode, restored.stderr).toBe(0)
  })
})

test('a version that failed its test and was rolled back is not restored on a deployment without version numbers', async () => {
  const by = await three()
  expect(await by.run('automate update Greeting --file broken.json --skip-local-test', plain())).toMatchObject({
    exitCode: 20,
  })
  expect(await running(by)).toEqual(['enabled', 'Third'])
  for (const line of [
    'automate disable Greeting',
    'automate enable Greeting',
    'automate update Greeting --name Greeting',
  ])
    await by.run(line, plain())
  for (const flag of ['--yes', '--dry-run']) {
    const refused = await by.run(`automate restore Greeting ${flag}`, plain())
    expect(refused).toMatchObject({
      exitCode: 5,
      stderr: expect.stringMatching(/The previous version of "Greeting" failed its test on .* and was rolled back\./),
    })
    expect(writes(refused.requests)).toEqual([])
  }
  expect(await running(by)).toEqual(['enabled', 'Third'])
  await by.run('automate update Greeting --file bye.json', plain())
  expect(await by.run('automate restore Greeting --yes', plain())).toMatchObject({ exitCode: 0 })
  expect(await running(by)).toEqual(['enabled', 'Third'])
})

describe('an old version on a deployment without version numbers', () => {
  test('is sent as an update from the history, with confirmation and its secrets, and is refused without them', async () => {
    const by = await three()
    const listed = await by.run('automate versions list Greeting --json', plain())
    const [, first] = JSON.parse(listed.stdout) as { number: number; state: string }[]
    expect(first).toMatchObject({ state: 'history' })
    const refused = await by.run(`automate restore Greeting --to ${first?.number} --yes`, plain())
    expect(refused).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('--confirm-side-effects') })
    expect(writes(refused.requests)).toEqual([])
    expect(await by.run('automate restore Greeting --to 99 --yes', plain())).toMatchObject({ exitCode: 4 })
    const done = await by.run(`automate restore Greeting --to ${first?.number} --yes --confirm-side-effects`, plain())
    expect(done).toMatchObject({ exitCode: 0 })
    expect(writes(done.requests).map((it) => it.split(' ')[0])).toEqual(['PUT'])
    expect(await running(by)).toEqual(['enabled', 'Hello'])
    expect(
      await by.run('automate restore Greeting --to 3 --file third.json --confirm-side-effects', plain()),
    ).toMatchObject({ exitCode: 0 })
    expect(await running(by)).toEqual(['enabled', 'Third'])
  })

  test('is refused if its secrets are masked and no longer live', async () => {
    const keyed = {
      trigger: hook,
      steps: [code('1', { api_key: 'sk-abcdefghijklmnop1234' }), respond({ text: 'Hello' })],
    }
    const by = await greeting({ 'keyed.json': keyed })
    await by.json('automate update Greeting --file keyed.json')
    await by.json('automate update Greeting --file bye.json')
    const [{ number }] = await by.json('automate versions list Greeting', plain())
    const refused = await by.run(`automate restore Greeting --to ${number} --confirm-side-effects`, plain())
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('api_key') })
    expect(writes(refused.requests)).toEqual([])
    expect(await running(by)).toEqual(['enabled', 'Bye'])
  })
})

describe('versions', () => {
  test('are shown one by one, and compared with each other, with what is live, and with a file', async () => {
    const by = await three()
    expect(await by.json('automate versions get Greeting --number 1')).toMatchObject({
      number: 1,
      live: false,
      definition: { name: 'trigger' },
    })
    expect((await by.run('automate versions get Greeting --number 1')).stdout).toContain('step_2: Answer')
    expect(await by.run('automate versions get Greeting')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Missing --number'),
    })
    expect(await by.run('automate versions get Greeting --number 7')).toMatchObject({ exitCode: 4 })
    const words = async (line: string): Promise<string> =>
      /"(\w+) .*" -> "(\w+) /
        .exec((await by.run(line)).stdout)
        ?.slice(1)
        .join(' ') ?? ''
    expect(await words('automate diff Greeting')).toBe('Bye Third')
    expect(await words('automate diff Greeting --from 1')).toBe('Hello Third')
    expect(await words('automate diff Greeting --from 1 --to 2')).toBe('Hello Bye')
    expect(await words('automate diff Greeting --to 2')).toBe('Hello Bye')
    expect(await words('automate diff Greeting --file hello.json')).toBe('Third Hello')
    expect(await words('automate diff Greeting --from 2 --file hello.json')).toBe('Bye Hello')
    expect(await by.run('automate diff Greeting --to 3')).toMatchObject({ exitCode: 20 })
    expect(await by.run('automate diff Greeting --from 3')).toMatchObject({ exitCode: 0, stdout: 'No differences.\n' })
    expect(await by.run('automate diff Greeting --to 1 --file hello.json')).toMatchObject({ exitCode: 2 })
  })

  test('list a draft that failed its test beside the live version', async () => {
    const by = await three()
    await by.run('automate update Greeting --file broken.json --skip-local-test')
    expect(
      (await by.json('automate versions list Greeting')).map(({ number, state }: { number: number; state: string }) => [
        number,
        state,
      ]),
    ).toEqual([
      [null, 'draft'],
      [3, 'live'],
      [2, 'published'],
      [1, 'published'],
    ])
  })
})

test('a failed restore that changed nothing keeps its exit code and leaves no open journal entry', async () => {
  const by = await three()
  const failing = plain(async (handle, request) =>
    isRestore(request) ? answered(500, { message: 'no' }) : handle(request),
  )
  expect(await by.run('automate restore Greeting --yes', failing)).toMatchObject({ exitCode: 8 })
  expect(await by.json('ops list --open')).toEqual([])
})
