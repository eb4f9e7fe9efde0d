import { expect, test } from 'vitest'
import { notParleyServer } from '../../../../support/altered-responses.ts'
import { type TwoPlatforms, twoPlatforms } from './two-platforms.ts'

const line = 'promote --from staging --to production --only senders'
const confirmed = `${line} --confirm production`
const [dental, billing, surveys] = ['+14155550170', '+14155550171', '+14155550174']
const fileOf = (number: string): string => `senders/${number.slice(1)}.yaml`

/** Assigns an assistant to a sender of a profile. */
async function assign(on: TwoPlatforms, profile: string, number: string, assistant: string): Promise<void> {
  const run = await on.run(['--profile', profile, 'messaging', 'assign', number, '--assistant-id', assistant])
  expect(run.exitCode, run.stderr).toBe(0)
  on.takeWrites()
}

/** Returns the names of the assistants of the three senders in production. */
async function live(on: TwoPlatforms): Promise<(string | null)[]> {
  const all = await on.json('production', 'messaging assignments')
  return [dental, billing, surveys].map(
    (number) => all.find((it: { phone_number: string }) => it.phone_number === number).assistant_name,
  )
}

test('promote assigns and unassigns the assistants of senders only when selected, and undo restores them', async () => {
  const on = await twoPlatforms()
  await assign(on, 'staging', billing, 'Recall')
  await assign(on, 'staging', dental, 'null')
  await assign(on, 'staging', surveys, 'Recall')
  expect(await on.run('promote --from staging --to production')).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('Nothing to promote'),
  })
  const planned = await on.run(`${line} --dry-run`)
  expect(planned.exitCode, planned.stderr).toBe(0)
  expect(planned.stderr).toContain(`change ${fileOf(billing)} (live)\n    assistant_id: "Front desk" -> "Recall"`)
  expect(planned.stderr).toContain(`change ${fileOf(dental)} (live)\n    assistant_id: "Front desk" -> not set`)
  expect(await on.run(`${line} --yes`)).toMatchObject({ exitCode: 10 })
  expect(on.takeWrites()).toEqual([])

  const done = await on.run(confirmed)
  expect(done.exitCode, done.stderr).toBe(0)
  expect(on.takeWrites()).toEqual([1, 2, 5].map((id) => `production PUT /api/user/messaging/senders/${id}/assistant`))
  expect(await live(on)).toEqual([null, 'Recall', 'Recall'])
  expect(await on.run(confirmed)).toMatchObject({ exitCode: 0, stdout: '' })
  expect(on.takeWrites()).toEqual([])

  const undone = await on.run('promote undo --to production --confirm production')
  expect(undone.exitCode, undone.stderr).toBe(0)
  expect(await live(on)).toEqual(['Front desk', 'Front desk', null])
  expect(on.takeWrites()).toHaveLength(3)
})

test('promote refuses an assistant and a sender that the target lacks, and a sender that was changed there', async () => {
  const on = await twoPlatforms()
  const refused = async (command: string, exitCode: number, text: string): Promise<void> => {
    const run = await on.run(command)
    expect(run).toMatchObject({ exitCode, stderr: expect.stringContaining(text) })
    expect(on.takeWrites()).toEqual([])
  }
  await on.run('--profile staging assistants update Recall --name Polls')
  await assign(on, 'staging', surveys, 'Polls')
  await refused(confirmed, 2, `${fileOf(surveys)}: assistant_id: no assistant "Polls"`)
  await assign(on, 'staging', surveys, 'Front desk')
  expect(await on.run(confirmed)).toMatchObject({ exitCode: 0 })
  await assign(on, 'production', surveys, 'Recall')
  await assign(on, 'staging', surveys, 'null')
  await refused(
    confirmed,
    5,
    `${fileOf(surveys)}: assistant_id: was "Front desk"; profile "production": "Recall"; profile "staging": not set`,
  )
  await refused('promote undo --to production --confirm production', 5, fileOf(surveys))
})

test('promote names a sender that the target lacks, and sends nothing', async () => {
  const on = await twoPlatforms({ version: 1, accounts: [{ name: 'Empty' }] })
  const run = await on.run('promote senders/14155550174 --from staging --to production --confirm production')
  expect(run).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(
      'senders/14155550174.yaml: The account does not have the sender +14155550174, and a push never connects senders.',
    ),
  })
  expect(on.takeWrites()).toEqual([])
})

test('promote to a platform that cannot assign assistants to senders says so before anything is sent', async () => {
  const on = await twoPlatforms(undefined, notParleyServer)
  await assign(on, 'staging', surveys, 'Recall')
  await on.run('--profile staging labels create --name Spring --color green')
  on.takeWrites()
  for (const words of ['--only labels,senders', 'senders/14155550174 labels/spring', 'senders/14155550174 --dry-run']) {
    const run = await on.run(`promote ${words} --from staging --to production --confirm production`)
    expect(run).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        'Senders cannot be promoted: profile "production" (https://production.example) does not have the capability "sender-assistants". Nothing was sent.',
      ),
    })
  }
  expect(on.takeWrites()).toEqual([])
  expect(await on.run('promote --from staging --to production --confirm production')).toMatchObject({ exitCode: 0 })
  expect(on.takeWrites()).toEqual(['production POST /api/user/label'])
  // The other way round, the source has no assignments.
  const run = await on.run('promote senders/14155550174 --from production --to staging --confirm staging')
  expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('profile "production"') })
})
