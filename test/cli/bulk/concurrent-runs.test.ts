import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { identify } from '../../../src/node/process-identity.ts'
import { type Operator, operator, type Run, type RunOptions } from '../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

const sending = (file: string): string =>
  `messaging send --sender 1 --template appointment_reminder --file ${file} --yes`
const write = (by: Operator, name: string, ...rows: readonly string[]): void =>
  writeFileSync(join(by.cwd, name), `${['phone,1,2', ...rows].join('\n')}\n`)
const sends = ({ requests }: Run): number => requests.filter((it) => it === 'POST /api/user/messaging/send').length

const [anna, bob, cleo] = ['+14155550111,Anna,Monday', '+14155550112,Bob,Tuesday', '+14155550113,Cleo,Friday'] as const

test('a run that was suspended until another process took over its lock sends no further row', async () => {
  const by = operator()
  write(by, 'people.csv', anna, bob, cleo)
  onTestFinished(() => void vi.useRealTimers())
  const through: Through = async (handle, request) => {
    if (request.method === 'POST') {
      const folder = join(by.dataDir, 'bulk')
      const lock = readdirSync(folder).find((it) => it.endsWith('.ledger.lock')) as string
      writeFileSync(join(folder, lock), JSON.stringify({ id: 'other', ...identify(process.ppid) }))
      vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] })
    }
    return handle(request)
  }
  const run = await by.run(sending('people.csv'), { through })
  expect([sends(run), run.exitCode]).toEqual([1, 11])
  expect(run.stderr).toContain('another one sends the rows of people.csv now. The remaining rows were not sent.')
})
