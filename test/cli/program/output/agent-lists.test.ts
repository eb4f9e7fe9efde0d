import { beforeAll, describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

const agent = { CLAUDECODE: '1' }

/** An operator with 89 leads. */
const { run } = operator({ lasts: 'file' })

beforeAll(async () => {
  const rows = Array.from({ length: 80 }, (_, n) => `+1415555${1000 + n}\n`).join('')
  const { exitCode, stderr } = await run('leads import --campaign 1 --file -', { stdin: `phone_number\n${rows}` })
  expect(exitCode, stderr).toBe(0)
})

const ids = (stdout: string): readonly number[] => (JSON.parse(stdout) as { id: number }[]).map(({ id }) => id)

describe('a list for a coding agent', () => {
  test('has 50 records, and stderr the command line that continues', async () => {
    const cut = await run('leads list --json', { env: agent })
    expect(cut.exitCode).toBe(0)
    expect(ids(cut.stdout)).toHaveLength(50)
    const { truncated } = JSON.parse(cut.stderr)
    expect(truncated).toEqual({ shown: 50, total: 89, next: 'parley leads list --json --page 2 --per-page 50' })
    const rest = await run(truncated.next.replace('parley ', ''), { env: agent })
    expect(rest.stderr).toBe('')
    expect(new Set([...ids(cut.stdout), ...ids(rest.stdout)]).size).toBe(89)
  })

  test('is cut as a table, as YAML and for jq', async () => {
    for (const [flags, lines] of [
      ['', 51],
      ['-o table --no-header', 50],
    ] as const) {
      const { stdout, stderr } = await run(`leads list ${flags}`, { env: agent, terminal: true })
      expect(stdout.trimEnd().split('\n'), flags).toHaveLength(lines)
      expect(JSON.parse(stderr).truncated.total).toBe(89)
    }
    expect((await run('leads list -o yaml', { env: agent })).stdout.match(/^- id:/gm)).toHaveLength(50)
    const counted = await run('leads list --jq length', { env: agent })
    expect(counted.stdout).toBe('50\n')
    expect(JSON.parse(counted.stderr).truncated.total).toBe(89)
  })

  test('continues with --all after a filter, and when its endpoint has no pages', async () => {
    const filtered = await run(['leads', 'list', '--json', '--filter', 'id>2'], { env: agent })
    expect(ids(filtered.stdout)).toHaveLength(50)
    const { truncated } = JSON.parse(filtered.stderr.trimEnd().split('\n').at(-1) as string)
    expect(truncated).toEqual({ shown: 50, total: 87, next: "parley leads list --json --filter 'id>2' --all" })
    expect(
      ids((await run(['leads', 'list', '--json', '--filter', 'id>2', '--all'], { env: agent })).stdout),
    ).toHaveLength(87)

    for (let n = 0; n < 51; n++) await run(`keys create --name key-${n}`)
    const keys = await run('keys list --json', { env: agent })
    expect(ids(keys.stdout)).toHaveLength(50)
    const cut = JSON.parse(keys.stderr).truncated
    expect(cut).toMatchObject({ shown: 50, next: 'parley keys list --json --all' })
    expect(ids((await run('keys list --json --all', { env: agent })).stdout)).toHaveLength(cut.total)
  })

  test.each(['id', 'csv', 'ndjson', 'tsv'])('is whole with -o %s', async (format) => {
    const { stdout, stderr } = await run(`leads list --no-header -o ${format}`, { env: agent })
    expect(stderr).toBe('')
    expect(stdout.trimEnd().split('\n')).toHaveLength(89)
  })

  test.each([
    ['--limit 60', 60],
    ['--all', 89],
    ['--per-page 70', 70],
    ['--page 2', 15],
  ])('has what %s asks for', async (flags, count) => {
    const { stdout, stderr } = await run(`leads list --json ${flags}`, { env: agent })
    expect(ids(stdout)).toHaveLength(count)
    expect(stderr).not.toContain('truncated')
  })

  test('that is short is printed without a word', async () => {
    const { stdout, stderr } = await operator().run('leads list --json', { env: agent })
    expect(ids(stdout)).toHaveLength(9)
    expect(stderr).toBe('')
  })
})

test('without an agent a list has one page, as before', async () => {
  const { stdout, stderr } = await run('leads list --json')
  expect(ids(stdout)).toHaveLength(15)
  expect(stderr).toBe('Showing 15 of 89. More: add --all, or --page 2.\n')
  expect(ids((await run('leads list --json --filter id>2')).stdout)).toHaveLength(87)
})
