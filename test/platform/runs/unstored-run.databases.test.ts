import { describe, expect, test } from 'vitest'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import { databases } from '../../support/databases.ts'
import { hangMs } from '../../support/hang-timeout.ts'
import { bench, chain, done } from './fake-steps.ts'

const branch = (name: string, onSuccessAction?: object) => ({
  name,
  type: 'BRANCH',
  settings: { conditions: true },
  ...(onSuccessAction && { onSuccessAction }),
})
const respond = (name: string) => ({ name, does: 'respond', input: { text: 'hello' } })

const countJobs = async (connection: Connection): Promise<number> =>
  (await connection.read.selectFrom('due').selectAll().execute()).length

describe.each(databases)('a run on $name whose caller waits for the answer', ({ fresh }) => {
  test('is stored with its end if its steps have no effect outside it, without a job', async () => {
    const connection = await fresh()
    const { answer, see, runs } = await bench(connection)
    const given = await answer(chain(branch('step_1'), respond('step_2')), { payload: { body: 'hello' } })
    expect(await given?.result).toEqual({ answer: { status: 200, headers: {}, body: { text: 'hello' } }, isOver: true })
    const { run, steps, outcome } = await see(given?.run ?? '')
    expect(outcome).toBe('SUCCEEDED step_1:SUCCEEDED step_2:SUCCEEDED')
    expect(run).toMatchObject({ account_id: 1, claims: 1, held: 0, payload: '{"body":"hello"}', testing: 0 })
    expect(run.finished_at).toBeGreaterThanOrEqual(run.created_at)
    expect(JSON.parse(run.answer ?? '')).toMatchObject({ status: 200 })
    expect(steps.map((it) => it.position)).toEqual([1, 2])
    expect(await runs()).toHaveLength(1)
    expect(await countJobs(connection)).toBe(0)
  })

  test('is stored with its end also if it has a loop or fails', async () => {
    const connection = await fresh()
    const { answer, see } = await bench(connection)
    const loop = {
      name: 'step_1',
      type: 'LOOP_ON_ITEMS',
      settings: { items: [1, 2] },
      firstLoopAction: chain(branch('step_2')),
    }
    const looped = await answer(chain(loop, respond('step_3')))
    expect((await looped?.result)?.isOver).toBe(true)
    expect((await see(looped?.run ?? '')).outcome).toBe(
      'SUCCEEDED step_1:SUCCEEDED step_1[1]/step_2:SUCCEEDED step_1[2]/step_2:SUCCEEDED step_3:SUCCEEDED',
    )
    const failed = await answer(chain({ ...loop, settings: { items: 'none' } }, respond('step_3')))
    expect(await failed?.result).toEqual({ answer: undefined, isOver: true })
    expect((await see(failed?.run ?? '')).outcome).toBe('FAILED step_1:FAILED')
    expect(await countJobs(connection)).toBe(0)
  })

  test('is stored with its job before a step that may have an effect outside it', async () => {
    const connection = await fresh()
    const seen: string[] = []
    const outer = async () => {
      seen.push((await called.see((await called.runs())[0]?.id ?? '')).outcome, String(await countJobs(connection)))
      return done()
    }
    const called = await bench(connection, { extra: { outer } })
    const given = await called.answer(chain(branch('step_1'), { name: 'step_2', does: 'outer' }, respond('step_3')))
    expect((await given?.result)?.isOver).toBe(true)
    expect(seen).toEqual(['RUNNING step_1:SUCCEEDED step_2:RUNNING', '1'])
    expect((await called.see(given?.run ?? '')).outcome).toBe(
      'SUCCEEDED step_1:SUCCEEDED step_2:SUCCEEDED step_3:SUCCEEDED',
    )
    expect(await countJobs(connection)).toBe(0)
  })

  test('is stored with its job while a step without effects takes long, and then only its end is', async () => {
    const connection = await fresh()
    let finish: () => void = () => {}
    const long = new Promise<void>((resolve) => {
      finish = resolve
    })
    const say = async () => {
      await long
      return done({ length: 3 })
    }
    const { answer, see, runs } = await bench(connection, { extra: { say } })
    const given = await answer(chain(branch('step_1'), { name: 'step_2', does: 'say' }, respond('step_3')))
    await expect.poll(async () => (await runs()).length, { timeout: hangMs }).toBe(1)
    expect((await see(given?.run ?? '')).outcome).toBe('RUNNING step_1:SUCCEEDED step_2:RUNNING')
    expect(await countJobs(connection)).toBe(1)
    finish()
    expect((await given?.result)?.isOver).toBe(true)
    const { steps, outcome } = await see(given?.run ?? '')
    expect(outcome).toBe('SUCCEEDED step_1:SUCCEEDED step_2:SUCCEEDED step_3:SUCCEEDED')
    expect(steps.map((it) => it.position)).toEqual([1, 2, 3])
    expect(await countJobs(connection)).toBe(0)
  })

  test('is stored when it answers and then waits', async () => {
    const connection = await fresh()
    const { answer, see } = await bench(connection)
    const given = await answer(chain(branch('step_1'), { name: 'step_2', does: 'call' }))
    expect((await given?.result)?.answer).toMatchObject({ status: 202, body: 'later' })
    expect((await see(given?.run ?? '')).outcome).toBe('PAUSED step_1:SUCCEEDED step_2:PAUSED')
    expect(await countJobs(connection)).toBe(1)
  })

  test('rejects for its caller if it cannot be stored, and leaves nothing', async () => {
    const connection = await fresh()
    let isFull = false
    const failing: Connection = {
      ...connection,
      write: ((scope, body) =>
        isFull ? Promise.reject(new Error('The disk is full.')) : connection.write(scope, body)) as Connection['write'],
    }
    const full = () => {
      isFull = true
      return { kind: 'respond', status: 200, headers: {}, body: null, stop: true, output: null } as const
    }
    const { answer, runs } = await bench(failing, { extra: { respond: full } })
    const given = await answer(chain(respond('step_1')))
    await expect(given?.result).rejects.toThrow('The disk is full.')
    expect(await runs()).toHaveLength(0)
  })

  test('is stored first if it is a test, has a key, or starts with a step that has an effect outside it', async () => {
    const { answer, runs } = await bench(await fresh())
    const inner = chain(branch('step_1'), respond('step_2'))
    expect(await answer(inner, { testing: true })).toBeUndefined()
    expect(await answer(inner, { dedupe: 'key 1' })).toBeUndefined()
    expect(await answer(chain({ name: 'step_1', does: 'echo' }))).toBeUndefined()
    expect(await runs()).toHaveLength(0)
  })
})
