import { describe, expect, test, vi } from 'vitest'
import { day, minute, second } from '../../../src/contract/values/micros.ts'
import { createClock } from '../../../src/platform/jobs/clock.ts'
import { createJobLoop, type JobLoopDeps, scheduleJob, unscheduleJob } from '../../../src/platform/jobs/job-loop.ts'
import { OwnLeases } from '../../../src/platform/jobs/leases.ts'
import { insertAccount } from '../../../src/platform/store/accounts/accounts.ts'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import { openStore } from '../../../src/platform/store/database/open-store.ts'
import { StoreError } from '../../../src/platform/store/database/store-error.ts'
import type { JobRow } from '../../../src/platform/store/runtime/scheduled-jobs.ts'
import { afterFile } from '../../support/cleanup.ts'
import { databases } from '../../support/databases.ts'
import { controlTime, releaseTime } from '../../support/fake-timers.ts'

const start = Date.UTC(2027, 0, 31)

describe.each(databases)('due jobs on $name', (database) => {
  /** A database with an account, a clock that is frozen until it is moved, and loops as processes have them. */
  async function place() {
    const target = await database.target()
    const connect = async () => {
      const connection = await openStore(target)
      afterFile(() => connection.close())
      return connection
    }
    const connection = await connect()
    const time = { ms: start }
    const clock = createClock(connection, () => time.ms)
    const { id: account } = await connection.write('rows', (query) =>
      insertAccount(query, {
        name: 'A',
        email: 'a@b.example',
        kind: 'tenant',
        balance: 0,
        minute_rate: 1,
        payment_method: null,
        created_at: 0,
      }),
    )
    const done: string[] = []
    const said: string[] = []
    const alive = new Set(['here:1:a', 'here:2:b'])
    async function loop(more: Partial<JobLoopDeps> = {}) {
      const own = more.connection ?? connection
      const work = async ({ account_id, subject }: JobRow): Promise<void> => {
        done.push(subject)
        await own.write({ rows: account_id }, (query) => unscheduleJob(query, 'work', subject))
      }
      return createJobLoop({
        connection,
        clock,
        owner: 'here:1:a',
        isAlive: (owner) => alive.has(owner),
        wall: () => time.ms,
        handlers: async () => ({ work }),
        log: (text) => said.push(text),
        ...more,
      })
    }
    const add = (subject: string, at = 0, more: { kind?: string; lease?: { owner: string; wall: number } } = {}) =>
      connection.write({ rows: account }, (query) =>
        scheduleJob(query, { account, kind: 'work', subject, at: start * 1000 + at, ...more }),
      )
    const rows = () => connection.read.selectFrom('due').selectAll().orderBy('id').execute()
    return {
      connect,
      connection,
      time,
      clock,
      done,
      said,
      alive,
      loop,
      add,
      rows,
      lease: (owner: string) => ({ lease: { owner, wall: time.ms } }),
    }
  }

  test('run in the order of their due times, then in the order they were scheduled', async () => {
    const { add, loop, done } = await place()
    for (const [subject, at] of [
      ['c', -second],
      ['a', -day],
      ['d', -second],
      ['b', -minute],
      ['e', 0],
    ] as const)
      await add(subject, at)
    const drained = await (await loop()).drain()
    expect(done).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(drained.map((it) => it.subject)).toEqual(done)
  })

  test('do not run before their time, and run as soon as the clock reaches it', async () => {
    const { add, loop, done, time, clock } = await place()
    await add('later', minute)
    const { drain } = await loop()
    expect(await drain()).toEqual([])
    time.ms += 59_999
    expect(await drain()).toEqual([])
    await clock.advance(1000)
    expect(await drain()).toMatchObject([{ subject: 'later' }])
    expect(done).toEqual(['later'])
  })

  test('that fail are delayed, longer each time up to an hour, and do not stop others', async () => {
    const { add, loop, done, said, rows, time } = await place()
    await add('bad', 0, { kind: 'broken' })
    await add('good')
    const work = await loop({
      handlers: async () => ({
        broken: async () => {
          throw new Error('The line is dead.')
        },
        work: async ({ subject, id }) => {
          done.push(`${subject} ${id}`)
          throw new Error('once')
        },
      }),
    })
    expect((await work.drain()).map((it) => it.subject)).toEqual(['bad', 'good'])
    expect(said).toEqual(['broken bad: The line is dead.', 'work good: once'])
    const waits: number[] = []
    for (let n = 0; n < 9; n++) {
      const { due_at } = (await rows())[0] as { due_at: number }
      waits.push((due_at / 1000 - time.ms) / 1000)
      time.ms = due_at / 1000
      await work.drain()
    }
    expect(waits).toEqual([...waits].sort((a, b) => a - b))
    expect(waits[0]).toBeGreaterThanOrEqual(30)
    expect(waits[1]).toBeGreaterThan(waits[0] as number)
    expect(waits.at(-1)).toBe(3600)
    expect(await rows()).toMatchObject([{ lease_owner: null, lease_until: 0 }, { lease_owner: null }])
  })

  test('of an unknown kind stay for a version that supports it', async () => {
    const { add, loop, rows, said } = await place()
    await add('x', 0, { kind: 'of-tomorrow' })
    await (await loop()).drain()
    expect(said).toEqual(['of-tomorrow x: No handler for jobs of kind "of-tomorrow".'])
    expect(await rows()).toHaveLength(1)
  })

  test('that a running process leased are left to it until the lease ends', async () => {
    const { add, loop, time, lease } = await place()
    await add('theirs', 0, lease('here:2:b'))
    const { drain } = await loop()
    expect(await drain()).toEqual([])
    time.ms += 29_999
    expect(await drain()).toEqual([])
    time.ms += 2
    expect(await drain()).toMatchObject([{ subject: 'theirs' }])
  })

  test('that a dead process leased are free immediately', async () => {
    const { add, loop, alive, lease } = await place()
    await add('theirs', 0, lease('here:2:b'))
    alive.delete('here:2:b')
    expect(await (await loop()).drain()).toMatchObject([{ subject: 'theirs' }])
  })

  test('are found behind any number of jobs that others leased', async () => {
    const { add, loop, lease } = await place()
    await Promise.all(Array.from({ length: 60 }, (_, n) => add(`theirs ${n}`, -minute, lease('here:2:b'))))
    await add('free', -second)
    const done = await (await loop()).drain()
    expect(done.map((it) => it.subject)).toEqual(['free'])
  })

  test('run once if two processes claim them at the same time', async () => {
    const { add, loop, connect, done, rows } = await place()
    const subjects = Array.from({ length: 40 }, (_, n) => `piece ${n}`)
    for (const subject of subjects) await add(subject)
    const loops = await Promise.all(
      ['here:1:a', 'here:2:b'].map(async (owner) => loop({ owner, connection: await connect() })),
    )
    const drained = await Promise.all(loops.map((it) => it.drain()))
    expect(drained.flat()).toHaveLength(40)
    expect([...done].sort()).toEqual([...subjects].sort())
    expect(drained.every((it) => it.length > 0)).toBe(true)
    expect(await rows()).toEqual([])
  })

  test('stop at the time limit, and continue the next time', async () => {
    const { add, loop, time, done, connection } = await place()
    for (const subject of ['a', 'b', 'c']) await add(subject)
    const slow = await loop({
      handlers: async () => ({
        work: async ({ account_id, subject }) => {
          time.ms += 600
          done.push(subject)
          await connection.write({ rows: account_id }, (query) => unscheduleJob(query, 'work', subject))
        },
      }),
    })
    expect(await slow.drain(1000)).toHaveLength(2)
    expect(await slow.drain(1000)).toHaveLength(1)
    expect(done).toEqual(['a', 'b', 'c'])
  })

  test('are run by a loop in the background, which stops only after its current job', async () => {
    const { add, loop, done, connection, rows } = await place()
    let started: () => void = () => {}
    const hasStarted = new Promise<void>((resolve) => {
      started = resolve
    })
    let release: () => void = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const running = (
      await loop({
        handlers: async () => ({
          work: async ({ account_id, subject }) => {
            started()
            await released
            done.push(subject)
            await connection.write({ rows: account_id }, (query) => unscheduleJob(query, 'work', subject))
          },
        }),
      })
    ).start()
    await add('x')
    await hasStarted
    const stopping = running.stop()
    release()
    await stopping
    expect(done).toEqual(['x'])
    expect(await rows()).toEqual([])
    await add('y')
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(done).toEqual(['x'])
  })

  /** A loop in the background whose first job, "slow", waits until it is let go, and a loop of another process. */
  async function slowLane() {
    const loop = await place()
    let letGo: () => void = () => {}
    const released = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const finish = async ({ account_id, subject }: JobRow): Promise<void> => {
      loop.done.push(subject)
      await loop.connection.write({ rows: account_id }, (query) => unscheduleJob(query, 'work', subject))
    }
    await loop.add('slow', -second)
    await loop.add('pay')
    let started: () => void = () => {}
    const hasStarted = new Promise<void>((resolve) => {
      started = resolve
    })
    const own = await loop.loop({
      handlers: async () => ({
        work: async (row) => {
          if (row.subject === 'slow') {
            started()
            await released
          }
          await finish(row)
        },
      }),
    })
    const other = await loop.loop({ owner: 'here:2:b', connection: await loop.connect() })
    return { ...loop, start: own.start, other, hasStarted, letGo }
  }

  test('that wait behind a slow job of their account stay leased', async () => {
    controlTime({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const { start, hasStarted, letGo, other, time, rows, done } = await slowLane()
      const running = start()
      await hasStarted
      for (let n = 1; n <= 4; n++) {
        time.ms += 10_000
        vi.advanceTimersByTime(10_000)
        await expect
          .poll(async () => (await rows()).map((it) => it.lease_until))
          .toEqual(Array(2).fill(time.ms + 30_000))
      }
      expect(await other.drain()).toEqual([])
      letGo()
      await expect.poll(() => done).toEqual(['slow', 'pay'])
      await running.stop()
      expect(await rows()).toEqual([])
    } finally {
      releaseTime()
    }
  })

  test('that another process took over while they waited are not run again', async () => {
    const { start, hasStarted, letGo, other, time, rows, done } = await slowLane()
    const running = start()
    await hasStarted
    // No renewal ran, as in a process that was stopped.
    time.ms += 31_000
    await other.drain()
    expect(done).toContain('pay')
    letGo()
    await running.stop()
    expect(done.filter((it) => it === 'pay')).toHaveLength(1)
    expect((await rows()).filter((it) => it.subject === 'pay')).toEqual([])
  })

  test('are not claimed a second time by the process that runs them', async () => {
    const { add, loop, time, done, connection } = await place()
    await add('slow', -second)
    await add('pay')
    const started = new Map<string, number>()
    let payStarted: () => void = () => {}
    const hasPayStarted = new Promise<void>((resolve) => {
      payStarted = resolve
    })
    let isPaying = false
    const running = (
      await loop({
        handlers: async () => ({
          work: async ({ account_id, subject }) => {
            started.set(subject, (started.get(subject) ?? 0) + 1)
            if (subject === 'slow') time.ms += 31_000
            else if (subject === 'pay' && !isPaying) {
              isPaying = true
              payStarted()
              // Another job of the account makes the loop claim while this one runs.
              await add('next')
              await expect.poll(async () => isClaimed('next')).toBe(true)
            }
            done.push(subject)
            await connection.write({ rows: account_id }, (query) => unscheduleJob(query, 'work', subject))
          },
        }),
      })
    ).start()
    const isClaimed = async (subject: string): Promise<boolean> =>
      (await connection.read.selectFrom('due').select('attempts').where('subject', '=', subject).executeTakeFirst())
        ?.attempts === 1
    await hasPayStarted
    await expect.poll(() => done).toContain('next')
    await running.stop()
    expect(Object.fromEntries(started)).toEqual({ slow: 1, pay: 1, next: 1 })
  })

  describe('of a server whose database was away', () => {
    /** A loop whose database can go away, and a wait until a job has run that moves the time on, but not as far as a lease. */
    async function outage() {
      const loop = await place()
      const leases = new OwnLeases()
      const database = { isAway: false, losesAnswer: false }
      const failIfAway = (): void => {
        if (database.isAway) throw new StoreError('unreachable', 'The database is away.')
      }
      const connection: Connection = leases.watch({
        ...loop.connection,
        async write(scope, body) {
          failIfAway()
          const value = await loop.connection.write(scope, body)
          if (database.losesAnswer) {
            Object.assign(database, { isAway: true, losesAnswer: false })
            throw new StoreError('unknown_outcome', 'The answer was lost.')
          }
          return value
        },
      })
      const runs = async (subject: string): Promise<void> => {
        await expect
          .poll(
            () => {
              if (!database.isAway) loop.time.ms += 50
              return loop.done
            },
            { timeout: 25_000 },
          )
          .toContain(subject)
        expect(loop.time.ms - start).toBeLessThan(30_000)
      }
      return { ...loop, database, connection, leases, runs }
    }

    test('continue as soon as it is back, when they failed and could not be postponed', async () => {
      const { add, loop, connection, leases, database, runs, said, done } = await outage()
      let attempts = 0
      const loopOf = await loop({
        connection,
        leases,
        handlers: async (own) => ({
          work: async ({ account_id, subject }) => {
            database.isAway = attempts++ === 0
            await own.write({ rows: account_id }, (query) => unscheduleJob(query, 'work', subject))
            done.push(subject)
          },
        }),
      })
      const running = loopOf.start()
      await add('x')
      await expect.poll(() => said).toContain('The database is away.')
      database.isAway = false
      await runs('x')
      await running.stop()
      expect(attempts).toBe(2)
    })

    test('are tried again after a second when they failed because of it', async () => {
      const { add, loop, rows } = await outage()
      await add('x')
      const { drain } = await loop({
        handlers: async () => ({
          work: async () => {
            throw new StoreError('unreachable', 'The database is away.')
          },
        }),
      })
      await drain()
      expect(await rows()).toMatchObject([{ due_at: start * 1000 + second, lease_owner: null }])
    })

    test('run although it is not known whether they were leased, and they could not be released', async () => {
      const { add, loop, connection, leases, database, runs, said } = await outage()
      await add('x')
      database.losesAnswer = true
      const running = (await loop({ connection, leases })).start()
      await expect.poll(() => said).toContain('The database is away.')
      database.isAway = false
      await runs('x')
      await running.stop()
    })

    test('run although the request that leased them failed, but not those of requests in progress', async () => {
      const { add, lease, loop, connection, leases, database, runs, done, rows } = await outage()
      database.losesAnswer = true
      await add('7', 0, { kind: 'busy', ...lease('here:1:a') })
      await expect(
        connection.write('rows', async (query) => {
          await query.updateTable('due').set({ attempts: 0 }).execute()
        }),
      ).rejects.toThrow('The answer was lost.')
      database.isAway = false
      await add('failed', 0, lease('here:1:a'))
      const running = (await loop({ connection, leases })).start()
      await leases.during('busy', [7], async () => {
        await runs('failed')
        await running.stop()
        expect(await rows()).toMatchObject([{ subject: '7', lease_owner: 'here:1:a' }])
      })
      expect(done).toEqual(['failed'])
    })
  })
})
