import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Operator, operator } from '../../../support/operator.ts'

const send =
  'messaging send --sender 1 --template appointment_reminder --file people.csv --var appointment_day=Monday --yes'
const waiting = `${send} --wait=delivered --wait-timeout 1s`

/** An operator with a file of two recipients, whose contact hours are closed if `isClosed`. */
async function withPeople(isClosed: boolean): Promise<Operator> {
  const by = operator()
  writeFileSync(join(by.cwd, 'people.csv'), 'phone,first_name\n+14155550111,Anna\n+14155550112,Bob\n')
  if (isClosed) {
    const today = Date.parse((await by.json('server clock get')).now)
    const days = [-1, 0, 1].map((n) => new Date(today + n * 86_400_000).toISOString().slice(0, 10))
    await by.run(`contacts update-hours --holidays ${days.join(',')}`)
  }
  return by
}

test('messages that wait for the contact hours are not delivered, and cancelled ones never are', async () => {
  const by = await withPeople(true)
  expect(await by.run(waiting)).toMatchObject({
    exitCode: 14,
    stdout: expect.not.stringContaining('Bulk job is'),
    stderr: expect.stringContaining('Bulk job did not reach "delivered" within 1 s. It is waiting, 2 waiting.'),
  })
  await by.run('contacts cancel-waiting --filter channel=messaging --yes')
  const cancelled = await by.run(waiting)
  expect(cancelled).toMatchObject({
    exitCode: 20,
    stdout: expect.stringMatching(
      /^Nothing was sent: an earlier run handed over 2 messages, since .* UTC, of which 2 had to wait for the contact hours\./,
    ),
    stderr: expect.stringContaining('Bulk job is cancelled, 2 cancelled. That ends the wait for "delivered".'),
  })
  expect(cancelled.stdout).not.toContain('is done')
  const { exitCode, stdout } = await by.run(`${waiting} --json`)
  expect([exitCode, JSON.parse(stdout).deliveries]).toEqual([
    20,
    expect.objectContaining({ cancelled: 2, delivered: 0 }),
  ])
})

test('a file of which nothing is sent reaches nothing', async () => {
  const by = await withPeople(false)
  await by.run('contacts block +14155550111 +14155550112 --channel messaging')
  expect(await by.run(waiting)).toMatchObject({
    exitCode: 20,
    stdout: 'Nothing was sent: 2 of 2 skipped: 2 opted out.\n',
    stderr: expect.stringContaining('Bulk job is not sent. That ends the wait for "delivered".'),
  })
})

test('only the messages to recipients of the file are counted, and its messages continue after the time is over', async () => {
  const by = await withPeople(false)
  const single = 'messaging send --sender 1 --template appointment_reminder --var 1=Cleo --var 2=Friday'
  let isOther = false
  const run = await by.run(waiting, {
    through: async (handle, request) => {
      if (request.url.includes('/messaging/messages') && !isOther) {
        isOther = true
        for (const n of [3, 4]) await by.run(`${single} --to +1415555011${n}`)
      }
      return handle(request)
    },
  })
  expect(run.exitCode).toBe(14)
  expect(run.stderr).toMatch(/It is (queued|sending|sent), 2 (queued|sending|sent)[.,]/)
  expect(run.stderr).toContain('Its messages continue on the platform.')
})
