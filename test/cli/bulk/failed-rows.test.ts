import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Operator, operator } from '../../harness.ts'

const creates = (requests: readonly string[]): number => requests.filter((it) => it === 'POST /api/user/lead').length

const importing = 'leads import --campaign 1 --file leads.csv'

function withRows(...rows: readonly string[]): Operator {
  const by = operator()
  writeFileSync(join(by.cwd, 'leads.csv'), `${['phone,name', ...rows].join('\n')}\n`)
  return by
}

describe('the file that --failed names', () => {
  test.each([
    ['is the input', 'leads.csv', 'leads.csv is there already'],
    ['is there already', 'mine.csv', 'mine.csv is there already'],
    ['is in a folder that is not there', 'none/kept.csv', 'kept.csv cannot be written'],
  ])('is refused before anything is sent when it %s', async (_, name, told) => {
    const by = withRows('+14155550111,Anna', '0,Bob')
    writeFileSync(join(by.cwd, 'mine.csv'), 'mine')
    const input = readFileSync(join(by.cwd, 'leads.csv'), 'utf8')
    const { exitCode, stderr, requests } = await by.run(`${importing} --skip-invalid --failed ${name}`)
    expect([exitCode, creates(requests)]).toEqual([2, 0])
    expect(stderr).toContain('--failed: ')
    expect(stderr).toContain(told)
    expect([readFileSync(join(by.cwd, 'leads.csv'), 'utf8'), readFileSync(join(by.cwd, 'mine.csv'), 'utf8')]).toEqual([input, 'mine'])
    expect(readdirSync(by.cwd).sort()).toEqual(['leads.csv', 'mine.csv'])
  })
})
