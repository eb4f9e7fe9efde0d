import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createProgress } from '../../../../src/cli/program/terminal/progress.ts'
import { controlTime, releaseTime } from '../../../support/fake-timers.ts'
import { memorySink } from '../../../support/memory-sink.ts'
import { buildProgram, type Program } from '../prompts/program.ts'

const code = `
import { createProgress, withoutProgress } from '#src/cli/program/terminal/progress.ts'
import { sinkFromNode } from '#src/cli/program/terminal/streams.ts'

const stderr = sinkFromNode(process.stderr)
const progress = createProgress({ stderr, stream: process.stderr, env: process.env, quiet: false, color: false })
// Work that ends when Enter is typed: the test types it once it has seen what it waits for.
const enter = () => new Promise((resolve) => process.stdin.resume().once('data', () => { process.stdin.pause(); resolve() }))
// Work that ends after a time that no clock measures: timers are due when it is advanced.
const work = async (ms) => {
  const timers = new Set()
  globalThis.setTimeout = (run, after) => {
    const timer = { run, after }
    timers.add(timer)
    return timer
  }
  globalThis.clearTimeout = (timer) => timers.delete(timer)
  const pass = (time) => [...timers].filter((it) => it.after <= time && timers.delete(it)).forEach((it) => it.run())
  let finish
  const done = progress.showWhile('Searching', new Promise((resolve) => { finish = () => resolve('found') }))
  pass(ms)
  // A spinner that was started is loaded and drawn in later turns.
  await import('ora')
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve))
  finish()
  const result = await done
  pass(10_000)
  return result
}
const scenarios = {
  slow: () => progress.showWhile('Searching', enter().then(() => 'found')),
  long: () => work(10_000),
  quick: () => work(50),
  changed: () => progress.showWhile('Sending', async (setText) => { await enter(); setText('Sending 5 of 9\\u001b[2J'); await enter(); return 'sent' }),
  asked: () => progress.showWhile('Sending', async (setText) => {
    await enter()
    setText('Sending on')
    await withoutProgress(stderr, async () => { process.stderr.write('Continue?'); await enter(); process.stderr.write('Yes.') })
    return 'sent'
  }),
  failed: () => progress.showWhile('Searching', enter().then(() => { throw new Error('cut') })),
}
scenarios[process.argv[2]]().then((it) => process.stdout.write(it), (error) => process.stdout.write('failed: ' + error.message))
`

let program: Program
beforeAll(async () => {
  program = await buildProgram(code)
})
afterAll(() => program.remove())

describe.runIf(process.platform !== 'win32')('on a terminal', () => {
  test('slow work has a spinner that is erased, and nothing of it is on stdout', async () => {
    const run = await program.run('slow', [['Searching', '\r']])
    expect(run).toMatchObject({ exitCode: 0, stdout: 'found' })
    expect(run.screen).toContain('Searching')
    const [, afterwards] = run.drawn.split('Searching').slice(-2)
    expect(afterwards).toContain('\u001b[0K')
    expect(afterwards).toContain('\u001b[?25h')
  })
  test('quick work shows nothing', async () => {
    expect(await program.run('quick', [])).toMatchObject({ exitCode: 0, stdout: 'found', drawn: '' })
  })
  test('the work can change the text, without terminal control characters', async () => {
    const run = await program.run('changed', [
      ['Sending', '\r'],
      ['Sending 5 of 9', '\r'],
    ])
    expect(run.screen).toContain('Sending 5 of 9')
    expect(run.drawn).not.toContain('\u001b[2J')
  })
  test('is hidden during a question', async () => {
    const run = await program.run('asked', [
      ['Sending', '\r'],
      ['Continue?', '\r'],
    ])
    expect(run).toMatchObject({ exitCode: 0, stdout: 'sent' })
    expect(run.drawn).toMatch(/Continue\?(?:(?!Sending)[\s\S])*Yes\./)
  })
  test('a failure is passed on and ends the spinner', async () => {
    const run = await program.run('failed', [['Searching', '\r']])
    expect(run).toMatchObject({ exitCode: 0, stdout: 'failed: cut' })
    expect(run.drawn).toContain('\u001b[?25h')
  })
  test.each([
    ['of no width', { columns: 0 }],
    ['that is dumb', { env: { TERM: 'dumb' } }],
    ['of a build server', { env: { CI: '1' } }],
  ])('one %s shows nothing and does not hang', async (_what, options) => {
    expect(await program.run('long', [], options)).toMatchObject({ exitCode: 0, stdout: 'found', drawn: '' })
  })
})

describe('with ACCESSIBLE', () => {
  const say = async (
    ms: number,
    some: { isTTY?: boolean; quiet?: boolean; env?: Record<string, string> } = {},
  ): Promise<string> => {
    controlTime()
    try {
      const stderr = memorySink({ isTTY: some.isTTY ?? true })
      const progress = createProgress({
        stderr,
        stream: new PassThrough(),
        env: { ACCESSIBLE: '1', ...some.env },
        quiet: some.quiet ?? false,
        color: false,
      })
      const done = progress.showWhile('Searching', new Promise((resolve) => setTimeout(resolve, ms)))
      await vi.advanceTimersByTimeAsync(ms)
      await done
      await vi.advanceTimersByTimeAsync(10_000)
      return stderr.all
    } finally {
      releaseTime()
    }
  }
  test('long work prints one plain line', async () => {
    expect(await say(5000)).toBe('Searching...\n')
    expect(await say(5000, { env: { TERM: 'dumb' } })).toBe('Searching...\n')
  })
  test('work of less than two seconds prints nothing', async () => {
    expect(await say(1900)).toBe('')
  })
  test('nothing is printed with --quiet, in CI, or without a terminal', async () => {
    expect([
      await say(5000, { quiet: true }),
      await say(5000, { env: { CI: 'true' } }),
      await say(5000, { isTTY: false }),
    ]).toEqual(['', '', ''])
  })
})
