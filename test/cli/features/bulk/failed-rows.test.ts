import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rowByRow } from '../../../support/altered-responses.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

const creates = (requests: readonly string[]): number => requests.filter((it) => it === 'POST /api/user/lead').length

const importing = 'leads import --campaign 1 --file leads.csv'

function withRows(...rows: readonly string[]): Operator {
  const by = operator()
  writeFileSync(join(by.cwd, 'leads.csv'), `${['phone,name', ...rows].join('\n')}\n`)
  return by
}

describe('the file that --failed names', () => {
  test.each([
    ['is the input', 'leads.csv', 'leads.csv already exists'],
    ['is there already', 'mine.csv', 'mine.csv already exists'],
    ['is in a missing folder', 'none/kept.csv', 'kept.csv cannot be written'],
  ])('is refused before anything is sent when it %s', async (_, name, shown) => {
    const by = withRows('+14155550111,Anna', '0,Bob')
    writeFileSync(join(by.cwd, 'mine.csv'), 'mine')
    const input = readFileSync(join(by.cwd, 'leads.csv'), 'utf8')
    const { exitCode, stderr, requests } = await by.run(`${importing} --skip-invalid --failed ${name}`)
    expect([exitCode, creates(requests)]).toEqual([2, 0])
    expect(stderr).toContain('--failed: ')
    expect(stderr).toContain(shown)
    expect([readFileSync(join(by.cwd, 'leads.csv'), 'utf8'), readFileSync(join(by.cwd, 'mine.csv'), 'utf8')]).toEqual([
      input,
      'mine',
    ])
    expect(readdirSync(by.cwd).sort()).toEqual(['leads.csv', 'mine.csv'])
  })
})

describe('the file of failed rows of an earlier run', () => {
  const refusing: RunOptions = {
    through: async (handle, request) =>
      request.url === '/api/user/lead' && request.body?.includes('0112')
        ? { status: 422, headers: {}, body: '{"message":"No."}' }
        : handle(request),
  }

  test('is deleted when its rows are retried from the original file, so that none is sent twice', async () => {
    const by = rowByRow(withRows('+14155550111,Anna', '+14155550112,Bob'))
    const first = await by.run(importing, refusing)
    expect(first.stderr).toContain(
      'Fix the rows in leads.failed.csv, then import that file. Or run this command again to retry them unchanged. Do not do both.',
    )
    const again = await by.run(importing)
    expect([again.exitCode, creates(again.requests)]).toEqual([0, 1])
    expect(again.stderr).toContain('leads.failed.csv of an earlier run. Its rows are read from the original file.')
    expect(readdirSync(by.cwd)).toEqual(['leads.csv'])
  })

  test('is replaced, also if --failed names it', async () => {
    const by = rowByRow(withRows('+14155550111,Anna', '+14155550112,Bob'))
    for (const _ of [1, 2]) expect((await by.run(`${importing} --failed kept.csv`, refusing)).exitCode).toBe(11)
    expect(readdirSync(by.cwd).sort()).toEqual(['kept.csv', 'leads.csv'])
  })

  test('is not overwritten when someone changed it, and a note says so', async () => {
    const by = rowByRow(withRows('+14155550111,Anna', '+14155550112,Bob'))
    await by.run(importing, refusing)
    writeFileSync(join(by.cwd, 'leads.failed.csv'), 'mine')
    const again = await by.run(importing)
    expect(again.stderr).toContain(
      'leads.failed.csv was changed since an earlier run and is not removed. This run reads the original file, without those changes. To send the changed rows, import that file.',
    )
    expect(existsSync(join(by.cwd, 'leads.failed.csv'))).toBe(true)
  })
})

describe('remaining rows', () => {
  test('after --limit exit with 11 until no row remains', async () => {
    const by = withRows('+14155550111,Anna', '+14155550112,Bob')
    const first = await by.run(`${importing} --limit 1`)
    expect([first.exitCode, first.stderr]).toEqual([
      11,
      expect.stringContaining('1 row remaining. Run the same command again for the next rows.'),
    ])
    expect((await by.run(`${importing} --limit 1`)).exitCode).toBe(0)
  })

  test('after the reader of the output closed it exit with 11', async () => {
    const by = withRows(...Array.from({ length: 3000 }, (_, n) => `+1415555${1000 + n},Anna`))
    const { exitCode, stderr } = await by.run(`${importing} -o ndjson`, { closed: true })
    expect([exitCode, stderr]).toEqual([11, expect.stringMatching(/The output was closed: [\d,]+ rows remaining\./)])
  })
})

test('that an earlier run skipped are written to a file again when only they remain', async () => {
  const by = withRows('+14155550111,Anna', '0,Bob')
  await by.run(`${importing} --skip-invalid`)
  rmSync(join(by.cwd, 'leads.failed.csv'))
  const { exitCode, stdout, stderr } = await by.run(`${importing} --skip-invalid --json`)
  expect([exitCode, JSON.parse(stdout).failed_file]).toEqual([11, join(by.cwd, 'leads.failed.csv')])
  expect([stderr, readFileSync(join(by.cwd, 'leads.failed.csv'), 'utf8')]).toEqual([
    expect.stringContaining('Fix the rows'),
    expect.stringContaining('0,Bob'),
  ])
  writeFileSync(join(by.cwd, 'leads.failed.csv'), 'mine')
  expect((await by.run(`${importing} --skip-invalid`)).stderr).toContain('leads.failed-2.csv, each with its error')
})

test('help names the default file of failed rows', async () => {
  expect((await operator().run('leads import --help')).stdout.replace(/\s+/g, ' ')).toContain(
    '(default for a.csv: a.failed.csv)',
  )
})

test('a row whose outcome is unknown is sent four times, which cannot create two leads, then the run stops', async () => {
  const by = rowByRow(withRows('+14155550111,Anna'))
  const { exitCode, requests } = await by.run(importing, {
    through: async (handle, request) =>
      request.url === '/api/user/lead' && request.method === 'POST'
        ? { status: 500, headers: {}, body: '{"message":"Server error."}' }
        : handle(request),
  })
  expect([exitCode, creates(requests)]).toEqual([8, 4])
})
