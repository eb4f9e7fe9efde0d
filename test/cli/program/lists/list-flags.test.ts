import { describe, expect, test } from 'vitest'
import { listFlagsOf } from '../../../../src/cli/program/lists/list-flags.ts'
import { answerShell } from '../../../../src/cli/reference/completion/complete.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { operator } from '../../../support/operator.ts'

const by = operator({ lasts: 'file' })
const ids = async (line: string): Promise<unknown[]> =>
  (await by.json(`${line} --fields id`)).map(({ id }: { id: unknown }) => id)

describe('--filter', () => {
  test('sends what the endpoint has a parameter for, without a note', async () => {
    const ran = await by.run('calls list --filter status=completed --fields id -o csv')
    expect(ran).toMatchObject({ exitCode: 0, requests: ['GET /api/user/calls?status=completed&per_page=100'] })
    expect(ran.stderr).not.toContain('by this command')
  })

  test('does the rest itself over all pages, and says so', async () => {
    const ran = await by.run("leads list --filter 'status=created,phone_number~555' --per-page 2 -o ndjson")
    expect(ran.exitCode).toBe(0)
    expect(ran.requests.length).toBeGreaterThan(1)
    expect(ran.requests[0]).toContain('status=created')
    expect(ran.stderr).toMatch(/^Filtered \(phone_number~555\) by this command, .*: \d+ records read\.$/m)
    expect((await by.run("leads list --filter 'phone_number~555' --quiet")).stderr).toBe('')
  })

  test('takes the name of a resource for its id', async () => {
    expect(await ids("assistants list --filter 'folder_id=Front desk'")).toEqual(
      await ids('assistants list --filter folder_id=1'),
    )
    expect(await by.run('assistants list --filter folder_id=Fron')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('No folder "Fron" found. Did you mean "Front desk"?'),
    })
    expect(await by.run('assistants list --filter id=Front')).toMatchObject({ exitCode: 2, requests: [] })
  })

  test('keeps the value of a flag that names the same parameter', async () => {
    const ran = await by.run('calls list --status completed --filter status=failed --json')
    expect(ran).toMatchObject({ exitCode: 0, stdout: '[]\n' })
    expect(ran.requests).toEqual(['GET /api/user/calls?status=completed&per_page=100'])
  })

  test('takes several conditions, quoted values, nested fields and null', async () => {
    expect(await ids("tools list --filter name=lookup_patient --filter 'id<3'")).toEqual([1])
    expect(await ids(['tools list --filter', `'name="lookup_patient",id>=1'`].join(' '))).toEqual([1])
    expect(await ids('tools list --filter headers.name=X-Practice')).toEqual([2])
    expect(await ids('calls list --filter campaign_name=null')).toEqual(
      (await by.json('calls list --all')).flatMap((call: { id: number; campaign_name: string | null }) =>
        call.campaign_name === null ? [call.id] : [],
      ),
    )
  })

  test('compares times with days in UTC, times and durations', async () => {
    expect(await ids('calls list --filter created_at=2026-07-31')).toEqual([2, 1])
    expect(await ids("calls list --filter 'created_at>2026-07-31'")).toEqual([3])
    expect(await ids("calls list --filter 'created_at<=2026-07-31'")).toEqual([2, 1])
    expect(await ids("calls list --filter 'created_at>=4h'")).toEqual([3])
    expect(await ids('calls list --filter created_at=today')).toEqual([3])
  })

  test.each([
    ['statsu=failed', 'Unknown field "statsu" in --filter', 'Did you mean "status"? Fields: id, assistant_name'],
    ['status=nope', '"nope" is not a value of status', 'Allowed values: initiated, ringing'],
    ['duration>long', 'duration is a number'],
    ['created_at>soon', 'Invalid --filter "soon". Use a time such as'],
    ['variables=1', 'variables has several values. Use ~, or a field of it'],
    ['status', 'Invalid --filter "status"', 'Operators: != >= <= = > < ~'],
    ['status=failed,', 'Invalid --filter ""'],
    ['status>null', 'null requires = or !='],
    ['', 'Invalid --filter ""'],
  ])('"%s" is refused before a request', async (filter, message, hint = '') => {
    const ran = await by.run(['calls', 'list', '--filter', filter])
    expect(ran).toMatchObject({ exitCode: 2, requests: [], stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(ran.stderr).toContain(hint)
  })

  test.each([
    'calls list --filter id=1 --page 2',
    'calls list --sort id --envelope',
    'events list --filter id=1 --follow',
    'automate templates post-call-callback --filter key=a',
    'tools get 1 --filter id=1',
  ])('is refused where it has no meaning: %s', async (line) => {
    expect(await by.run(line)).toMatchObject({ exitCode: 2, stdout: '' })
  })
})

describe('--sort', () => {
  test('sorts by several fields, in both directions, before --limit', async () => {
    expect(await ids('tools list --sort -name')).toEqual([4, 3, 1, 2])
    expect(await ids('tools list --sort timeout,-id')).toEqual(
      (await by.json('tools list'))
        .sort((a: Tool, b: Tool) => a.timeout - b.timeout || b.id - a.id)
        .map(({ id }: Tool) => id),
    )
    expect(await ids('tools list --sort -id --limit 2')).toEqual([4, 3])
    expect((await by.run('tools list --sort nmae')).stderr).toContain('Unknown field "nmae" in --sort')
    expect((await by.run('tools list --sort id,')).exitCode).toBe(2)
  })
})

interface Tool {
  readonly id: number
  readonly timeout: number
}

describe('--since and --until', () => {
  test('select by the time of creation, and limit the days that the platform is asked for', async () => {
    const ran = await by.run('calls list --since 2026-07-31T12:05Z --until 2026-08-02 -o id')
    expect(ran).toMatchObject({ exitCode: 0, stdout: '2\n' })
    expect(ran.requests).toEqual(['GET /api/user/calls?date_from=2026-07-31&date_to=2026-08-03&per_page=100'])
  })

  test('take relative times, of the clock of the local platform', async () => {
    const moved = operator()
    await moved.run('server clock freeze')
    await moved.run('server clock advance 30d')
    await moved.run('keys create --name Late')
    const ran = await moved.run('calls list --since 4h -o id')
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: '',
      requests: ['GET /api/user/api-keys', 'GET /api/user/calls?date_from=2026-09-03&per_page=100'],
    })
    expect((await moved.run('keys list --since 1h --fields name -o csv')).stdout).toBe('name\nLate\n')
  })

  test('are refused by every list when nothing can be between them, before the list is read', async () => {
    const lists = (await allCommands()).flatMap(([words, command]) => {
      const [own, flags] = [command.flags ?? [], listFlagsOf(command)]
      return flags.some((it) => it.flags === '--until <time>') &&
        [...own, ...flags].some((it) => it.flags === '--since <time>')
        ? [words]
        : []
    })
    expect(lists).toContain('calls list')
    expect(lists).toContain('history list')
    for (const words of lists)
      for (const period of ['--since 2026-08-02 --until 2026-08-01', '--since 1h --until 2h']) {
        const { exitCode, stdout, stderr, requests } = await by.run(`${words} ${period}`)
        if (exitCode === 2 && stderr.includes('records with a time')) continue
        expect([words, exitCode, stdout, stderr]).toEqual([
          words,
          2,
          '',
          expect.stringContaining('--until must be after --since.'),
        ])
        expect(
          requests.filter((it) => !it.includes('api-keys')),
          words,
        ).toEqual([])
      }
  })

  test('work on lists that are not from a platform', async () => {
    const own = operator()
    await own.run('tools update 2 --tool-timeout 20')
    expect(await own.json('history list --since 1h --until 2099-01-01')).toHaveLength(1)
    expect(await own.json('history list --until 1h')).toEqual([])
    expect(await own.json('history list --since yesterday --filter noun=tools --sort -at')).toHaveLength(1)
  })

  test('compare times of every table that shows them, also in --filter', async () => {
    const own = operator()
    const [{ name }] = await own.json('automate list')
    expect((await own.json(`automate versions list "${name}"`)).length).toBeGreaterThan(0)
    const versions = (rest: string) => own.json(`automate versions list "${name}" ${rest}`)
    const all = await versions('')
    const [newest] = all
      .map((it: { published_at: string }) => Date.parse(it.published_at))
      .sort((a: number, b: number) => b - a)
    expect(await versions('--since 1000d')).toEqual(all)
    expect(await versions("--filter 'published>=1000d'")).toEqual(all)
    for (const none of [
      '--until 1000d',
      "--filter 'published<1000d'",
      `--since ${new Date(newest + 60_000).toISOString()}`,
    ])
      expect(await versions(none)).toEqual([])
    await own.run('server snapshot save now')
    expect(await own.json("server snapshot list --filter 'saved<yesterday'")).toEqual([])
    expect(await own.json("server snapshot list --filter 'saved>1h'")).toHaveLength(1)
  })

  test('are refused without a time', async () => {
    expect((await by.run('models list --since 2h')).stderr).toContain('--since requires records with a time')
    expect((await by.run('calls list --since never')).stderr).toContain('Invalid --since "never"')
    expect((await by.run('automate runs list --since 5')).stderr).toContain('Invalid --since "5"')
  })
})

describe('completion', () => {
  const words = (line: string): string[] => answerShell(['--', ...line.split(' ')], {}, { os: 'linux', cwd: '' })

  test('offers list flags on lists only', () => {
    expect(words('calls list --fil').map((it) => it.split('\t')[0])).toEqual(['--filter'])
    expect(words('calls get --fil')).toEqual([])
  })

  test('offers fields and values', () => {
    expect(words('calls list --filter stat')).toEqual(['status='])
    expect(words('calls list --filter status=f')).toEqual(['status=failed'])
    expect(words('calls list --filter id=1,status!=ended_by_c')).toEqual(['id=1,status!=ended_by_customer'])
    expect(words('calls list --filter=status=f')).toEqual(['--filter=status=failed'])
    expect(words('calls list --sort -created')).toEqual(['-created_at'])
    expect(words('calls list --sort id,created')).toEqual(['id,created_at'])
  })
})
