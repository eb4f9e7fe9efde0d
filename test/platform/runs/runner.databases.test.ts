import { describe, expect, test } from 'vitest'
import { minute, second } from '../../../src/contract/values/micros.ts'
import { StepFailure } from '../../../src/engine/pieces/step-failure.ts'
import { databases } from '../../support/databases.ts'
import { hangMs } from '../../support/hang-timeout.ts'
import { bench, chain, type Does, done } from './fake-steps.ts'

const echo = (name: string, input: object = {}, more: object = {}) => ({ name, does: 'echo', input, ...more })

describe.each(databases)('a run on $name', ({ fresh }) => {
  test('runs its steps in order, and each step sees the outputs of the previous ones', async () => {
    const { run, see } = await bench(await fresh())
    const id = await run(chain(echo('step_1', { x: '{{trigger.body}}' }), echo('step_2', { y: '{{step_1.x}}' })), {
      payload: { body: 'hello' },
    })
    const { outcome, steps } = await see(id)
    expect(outcome).toBe('SUCCEEDED step_1:SUCCEEDED step_2:SUCCEEDED')
    expect(JSON.parse(steps[1]?.output ?? '')).toEqual({ y: 'hello' })
  })

  test('records expressions that resolved to an empty value, and names them first when the step fails', async () => {
    const { run, see } = await bench(await fresh())
    const broken = () => {
      throw new Error('The address is empty.')
    }
    const other = await bench(await fresh(), { extra: { broken } })
    const { steps } = await see(await run(chain(echo('step_1', { x: '{{trigger.none}}' }))))
    expect(JSON.parse(steps[0]?.unresolved ?? '')).toEqual(['{{trigger.none}}'])
    const failed = await other.see(
      await other.run(chain({ name: 'step_1', does: 'broken', input: { url: '{{trigger.url}}' } })),
    )
    expect(failed.steps[0]).toMatchObject({
      status: 'FAILED',
      classification: 'wiring_error',
      error: 'No value for {{trigger.url}}. The address is empty.',
    })
  })

  test('runs one branch and continues after it', async () => {
    const { run, see } = await bench(await fresh())
    const branch = (conditions: unknown) =>
      chain(
        {
          name: 'step_1',
          type: 'BRANCH',
          settings: { conditions },
          onSuccessAction: chain(echo('step_2')),
          onFailureAction: chain(echo('step_3')),
        },
        echo('step_4', { was: '{{step_1.condition}}' }),
      )
    expect((await see(await run(branch(true)))).outcome).toBe(
      'SUCCEEDED step_1:SUCCEEDED step_2:SUCCEEDED step_4:SUCCEEDED',
    )
    expect((await see(await run(branch(false)))).outcome).toBe(
      'SUCCEEDED step_1:SUCCEEDED step_3:SUCCEEDED step_4:SUCCEEDED',
    )
  })

  test('runs a loop iteration by iteration, also nested, and returns the outputs of the iterations', async () => {
    const { run, see } = await bench(await fresh())
    const inner = {
      name: 'step_2',
      type: 'LOOP_ON_ITEMS',
      settings: { items: '{{step_1.item}}' },
      firstLoopAction: chain(echo('step_3', { n: '{{step_2.item}}', at: '{{step_2.index}}' })),
    }
    const flow = chain(
      { name: 'step_1', type: 'LOOP_ON_ITEMS', settings: { items: '{{trigger.rows}}' }, firstLoopAction: chain(inner) },
      echo('step_4', { last: '{{step_3.n}}', all: '{{step_1.index}}' }),
    )
    const { outcome, steps } = await see(await run(flow, { payload: { rows: [[1, 2], [3]] } }))
    expect(outcome).toBe(
      'SUCCEEDED step_1:SUCCEEDED step_1[1]/step_2:SUCCEEDED step_1[1]/step_2[1]/step_3:SUCCEEDED step_1[1]/step_2[2]/step_3:SUCCEEDED' +
        ' step_1[2]/step_2:SUCCEEDED step_1[2]/step_2[1]/step_3:SUCCEEDED step_4:SUCCEEDED',
    )
    expect(JSON.parse(steps.at(-1)?.output ?? '')).toEqual({ last: '', all: 2 })
    expect(JSON.parse(steps[1]?.output ?? '')).toEqual({
      item: 2,
      index: 2,
      iterations: [{ step_3: { output: { n: 1, at: 1 } } }, { step_3: { output: { n: 2, at: 2 } } }],
    })
  })

  test('a failed loop records the item and index at which it failed', async () => {
    const { run, see } = await bench(await fresh(), {
      extra: {
        odd: ({ input }) => {
          if ((input as { n: number }).n === 2)
            throw new StepFailure('Two is odd.', { classification: 'missing_record' })
          return done(input)
        },
      },
    })
    const body = chain({ name: 'step_2', does: 'odd', input: { n: '{{step_1.item}}' } })
    const { outcome, steps } = await see(
      await run(
        chain({
          name: 'step_1',
          type: 'LOOP_ON_ITEMS',
          settings: { items: '{{trigger.rows}}' },
          firstLoopAction: body,
        }),
        {
          payload: { rows: [1, 2, 3] },
        },
      ),
    )
    expect(outcome).toBe('FAILED step_1:FAILED step_1[1]/step_2:SUCCEEDED step_1[2]/step_2:FAILED')
    expect(steps[0]).toMatchObject({
      error: 'Item 2 of 3 failed. step_2: Two is odd.',
      classification: 'missing_record',
    })
    expect(JSON.parse(steps[0]?.output ?? '')).toEqual({
      item: 2,
      index: 2,
      iterations: [{ step_2: { output: { n: 1 } } }, {}],
    })
  })

  test('commits steps without outside effects together with the next step, and other steps before they start', async () => {
    const connection = await fresh()
    let writes = 0
    const counting: typeof connection = {
      ...connection,
      write(scope, body) {
        writes += 1
        return connection.write(scope, body)
      },
    }
    let atEcho = 0
    const noted: Does = ({ input }) => {
      atEcho = writes
      return done(input)
    }
    const { run, see } = await bench(counting, { extra: { noted } })
    const branch = (name: string) => ({ name, type: 'BRANCH', settings: { conditions: true } })
    const answering = chain(branch('step_1'), branch('step_2'), branch('step_3'), {
      name: 'step_4',
      does: 'respond',
      input: { x: 1 },
    })
    const before = writes
    const quick = await see(await run(answering))
    expect(quick.outcome).toBe('SUCCEEDED step_1:SUCCEEDED step_2:SUCCEEDED step_3:SUCCEEDED step_4:SUCCEEDED')
    expect(quick.steps.map(({ attempt, position, finished_at }) => [attempt, position, finished_at !== null])).toEqual(
      [1, 2, 3, 4].map((position) => [1, position, true]),
    )
    // The definition, the run, and all of its steps with its end.
    expect(writes - before).toBe(3)
    const mixed = chain(branch('step_1'), { name: 'step_2', does: 'noted' }, branch('step_3'), {
      name: 'step_4',
      does: 'noted',
    })
    const from = writes
    expect((await see(await run(mixed))).outcome).toBe(
      'SUCCEEDED step_1:SUCCEEDED step_2:SUCCEEDED step_3:SUCCEEDED step_4:SUCCEEDED',
    )
    expect([atEcho - from, writes - from]).toEqual([4, 5])
  })

  test('a loop over many items saves the outputs of each iteration when it ends', async () => {
    const connection = await fresh()
    const { run, see } = await bench(connection)
    const body = chain({ name: 'step_2', type: 'BRANCH', settings: { conditions: true } })
    const flow = chain({
      name: 'step_1',
      type: 'LOOP_ON_ITEMS',
      settings: { items: '{{trigger.items}}' },
      firstLoopAction: body,
    })
    const { run: row, steps } = await see(
      await run(flow, { payload: { items: Array.from({ length: 200 }, (_, n) => n) } }),
    )
    expect([row.status, steps.length, steps.filter((it) => it.status === 'SUCCEEDED').length]).toEqual([
      'SUCCEEDED',
      201,
      201,
    ])
  })

  test('fails if the items of a loop are not a list', async () => {
    const { run, see } = await bench(await fresh())
    const { run: row, steps } = await see(
      await run(
        chain({
          name: 'step_1',
          type: 'LOOP_ON_ITEMS',
          settings: { items: 'text' },
          firstLoopAction: chain(echo('step_2')),
        }),
      ),
    )
    expect(row.status).toBe('FAILED')
    expect(steps).toMatchObject([{ status: 'FAILED', error: 'The items of a loop must be a list.' }])
  })

  test('ends at a failed step, or continues if the step allows it', async () => {
    const { run, see } = await bench(await fresh())
    const failing = (value: boolean) =>
      chain(
        {
          name: 'step_1',
          displayName: 'Look up',
          does: 'fail',
          settings: { errorHandlingOptions: { continueOnFailure: { value } } },
        },
        echo('step_2'),
      )
    const ended = await see(await run(failing(false)))
    expect(ended.outcome).toBe('FAILED step_1:FAILED')
    expect(ended.run.error).toBe('Look up: It does not work.')
    expect(ended.steps[0]?.classification).toBe('missing_record')
    expect((await see(await run(failing(true)))).outcome).toBe('SUCCEEDED step_1:FAILED step_2:SUCCEEDED')
  })

  test('skips steps that are marked as skipped', async () => {
    const { run, see } = await bench(await fresh())
    expect((await see(await run(chain(echo('step_1', {}, { skip: true }), echo('step_2'))))).outcome).toBe(
      'SUCCEEDED step_2:SUCCEEDED',
    )
  })

  test('pauses without occupying a process, and resumes once', async () => {
    const connection = await fresh()
    const first = await bench(connection)
    await first.clock.freeze()
    const id = await first.run(
      chain(
        echo('step_1'),
        { name: 'step_2', does: 'wait', input: { micros: 3 * 24 * 60 * minute } },
        echo('step_3', { of: '{{step_2.success}}' }),
      ),
    )
    expect((await first.see(id)).outcome).toBe('PAUSED step_1:SUCCEEDED step_2:PAUSED')
    const second = await bench(connection)
    expect(await second.due.drain()).toEqual([])
    await second.clock.advance(3 * 24 * 60 * minute)
    expect(await second.due.drain()).toMatchObject([{ kind: 'automation.run', subject: id }])
    expect((await second.see(id)).outcome).toBe('SUCCEEDED step_1:SUCCEEDED step_2:SUCCEEDED step_3:SUCCEEDED')
    expect(JSON.parse((await second.see(id)).steps[2]?.output ?? '')).toEqual({ of: true })
    expect(await second.due.drain()).toEqual([])
  })

  test('retries a step after 4, 8 and 16 seconds: four attempts in total', async () => {
    const { run, see, clock, due } = await bench(await fresh())
    const retried = (does: string) =>
      chain(
        { name: 'step_1', does, settings: { errorHandlingOptions: { retryOnFailure: { value: true } } } },
        echo('step_2', { of: '{{step_1}}' }),
      )
    await clock.freeze()
    const [flaky, down] = [await run(retried('flaky')), await run(retried('down'))]
    expect((await see(flaky)).outcome).toBe('RUNNING step_1:WAITING')
    expect(await due.drain()).toEqual([])
    for (const seconds of [4, 8]) {
      await clock.advance(seconds * second - 1)
      expect(await due.drain()).toEqual([])
      await clock.advance(1)
      expect(await due.drain()).toHaveLength(2)
    }
    expect((await see(flaky)).outcome).toBe('SUCCEEDED step_1:SUCCEEDED*3 step_2:SUCCEEDED')
    await clock.advance(16 * second)
    await due.drain()
    expect((await see(down)).outcome).toBe('FAILED step_1:FAILED*4')
  })

  test('retries a step whatever the reason of its failure, in a test as in a live run', async () => {
    const waited: number[] = []
    const { run, see, clock, due } = await bench(await fresh(), {
      sleep: async (ms) => void waited.push(Math.round(ms / 1000)),
    })
    const flow = chain({
      name: 'step_1',
      does: 'fail',
      settings: { errorHandlingOptions: { retryOnFailure: { value: true } } },
    })
    expect((await see(await run(flow, { testing: true }))).outcome).toBe('FAILED step_1:FAILED*4')
    expect(waited).toEqual([4, 8, 16])
    await clock.freeze()
    const live = await run(flow)
    for (const seconds of [4, 8, 16]) {
      await clock.advance(seconds * second)
      await due.drain()
    }
    expect((await see(live)).outcome).toBe('FAILED step_1:FAILED*4')
  })

  test('is retried in a test as in a live run, after the same delays', async () => {
    const waited: number[] = []
    const { run, see } = await bench(await fresh(), {
      sleep: async (ms) => void waited.push(Math.round(ms / 1000)),
    })
    const flow = chain({
      name: 'step_1',
      does: 'flaky',
      settings: { errorHandlingOptions: { retryOnFailure: { value: true } } },
    })
    expect((await see(await run(flow, { testing: true }))).outcome).toBe('SUCCEEDED step_1:SUCCEEDED*3')
    expect(waited).toEqual([4, 8])
  })

  test('answers the caller both when it stops at the response step and when it continues', async () => {
    const { runner, see, run } = await bench(await fresh())
    const stopped = await run(chain({ name: 'step_1', does: 'respond', input: { ok: 1 } }, echo('step_2')))
    expect((await see(stopped)).outcome).toBe('SUCCEEDED step_1:SUCCEEDED')
    expect(await runner.waitForResult({ id: stopped, account: 1 }, 1000)).toEqual({
      answer: { status: 200, headers: {}, body: { ok: 1 } },
      isOver: true,
    })
    const goingOn = await run(chain({ name: 'step_1', does: 'say', input: { ok: 2 } }, echo('step_2')))
    expect((await see(goingOn)).outcome).toBe('SUCCEEDED step_1:SUCCEEDED step_2:SUCCEEDED')
    expect((await runner.waitForResult({ id: goingOn, account: 1 }, 1000))?.answer?.body).toEqual({ ok: 2 })
    expect(await runner.waitForResult({ id: await run(chain(echo('step_1'))), account: 1 }, 1000)).toEqual({
      answer: undefined,
      isOver: true,
    })
  })

  test('is accepted once for the same idempotency key', async () => {
    const { accept, runs } = await bench(await fresh())
    const flow = chain(echo('step_1'))
    expect(await accept(flow, { dedupe: 'tick 1' })).toBeTypeOf('string')
    expect(await accept(flow, { dedupe: 'tick 1' })).toBeUndefined()
    expect(await accept(flow, { dedupe: 'tick 2' })).toBeTypeOf('string')
    expect(await runs()).toHaveLength(2)
  })
})

describe.each(databases)('a run on $name whose process ended', ({ fresh }) => {
  const dead = { isAlive: (owner: string) => !owner.includes('dead') }

  test('continues in the next process with the step that was in progress', async () => {
    const connection = await fresh()
    const first = await bench(connection, { owner: 'here:2:dead' })
    const id = (await first.accept(chain(echo('step_1'), echo('step_2')))) as string
    const next = await bench(connection, dead)
    expect(await next.due.drain()).toHaveLength(1)
    expect((await next.see(id)).outcome).toBe('SUCCEEDED step_1:SUCCEEDED*2 step_2:SUCCEEDED')
  })

  test('is not written by the old process if that was only slow', async () => {
    const connection = await fresh()
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const keys: string[] = []
    const hold = async ({ key }: { key: string }) => {
      keys.push(key)
      if (keys.length === 1) await held
      return done(keys.length)
    }
    const slow = await bench(connection, { owner: 'here:2:dead', extra: { hold } })
    const next = await bench(connection, { ...dead, extra: { hold } })
    const running = slow.run(chain({ name: 'step_1', does: 'hold' }, echo('step_2')))
    while (keys.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await next.due.drain()
    const [row] = await next.runs()
    expect((await next.see(row?.id ?? '')).outcome).toBe('SUCCEEDED step_1:SUCCEEDED*2 step_2:SUCCEEDED')
    const before = await next.see(row?.id ?? '')
    release()
    await running
    expect(await next.see(row?.id ?? '')).toEqual(before)
    expect(keys).toEqual([`${row?.id}:step_1`, `${row?.id}:step_1`])
  })

  test('fails with a clear error after five attempts at the same step', async () => {
    const connection = await fresh()
    const first = await bench(connection, { owner: 'here:2:dead' })
    const id = (await first.accept(chain(echo('step_1'), { name: 'step_2', does: 'hang' }))) as string
    for (let n = 0; n < 6; n++) {
      const killed = await bench(connection, { ...dead, owner: `here:${n}:dead${n}` })
      killed.due.drain().catch(() => {})
      for (const late = Date.now() + hangMs; Date.now() < late; ) {
        const { run, steps } = await first.see(id)
        if (run.status === 'FAILED' || steps[1]?.attempt === n + 1) break
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const { run, steps } = await first.see(id)
    expect(run.status).toBe('FAILED')
    expect(steps[1]).toMatchObject({
      status: 'FAILED',
      attempt: 5,
      error: 'The platform stopped 5 times while this step was running. The step was not retried.',
    })
    expect(run.error).toContain('step_2')
    expect(await connection.read.selectFrom('due').selectAll().execute()).toEqual([])
  })

  test('continues in the same iteration of the loop, with the outputs of the other iterations', async () => {
    const connection = await fresh()
    const seen: unknown[] = []
    const fragile = async ({ input, attempt }: { input: unknown; attempt: number }) => {
      if ((input as { n: number }).n === 2 && attempt === 1) await new Promise(() => {})
      seen.push(input)
      return done(input)
    }
    const flow = chain({
      name: 'step_1',
      type: 'LOOP_ON_ITEMS',
      settings: { items: [1, 2, 3] },
      firstLoopAction: chain({ name: 'step_2', does: 'fragile', input: { n: '{{step_1.item}}' } }),
    })
    const first = await bench(connection, { owner: 'here:2:dead', extra: { fragile } })
    // A process that is gone hears nothing of what its run comes to.
    first.run(flow).catch(() => {})
    while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const next = await bench(connection, { ...dead, extra: { fragile } })
    for (
      const late = Date.now() + hangMs;
      (await next.see((await next.runs())[0]?.id ?? '')).steps.length < 3 && Date.now() < late;
    )
      await new Promise((resolve) => setTimeout(resolve, 5))
    await next.due.drain()
    const { outcome, steps } = await next.see((await next.runs())[0]?.id ?? '')
    expect(outcome).toBe(
      'SUCCEEDED step_1:SUCCEEDED step_1[1]/step_2:SUCCEEDED step_1[2]/step_2:SUCCEEDED*2 step_1[3]/step_2:SUCCEEDED',
    )
    expect(seen).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(JSON.parse(steps[0]?.output ?? '').iterations).toHaveLength(3)
  })
})

describe.each(databases)('a process on $name that is stopped', ({ fresh }) => {
  test('ends the step in progress and starts no other; the next process continues', async () => {
    const connection = await fresh()
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = async () => {
      await held
      return done()
    }
    const { runner, run, runs, see } = await bench(connection, { extra: { slow } })
    const running = run(chain({ name: 'step_1', does: 'slow' }, echo('step_2')))
    while ((await runs()).length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    const closing = runner.close()
    release()
    await closing
    const id = await running
    expect((await see(id)).outcome).toBe('RUNNING step_1:SUCCEEDED')
    const next = await bench(connection)
    expect(await next.due.drain()).toHaveLength(1)
    expect((await see(id)).outcome).toBe('SUCCEEDED step_1:SUCCEEDED step_2:SUCCEEDED')
    expect((await see(id)).run.stalls).toBe(0)
  })
})
