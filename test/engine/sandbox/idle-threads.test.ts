import { expect, test } from 'vitest'
import { createSandbox, takeThread } from '../../../src/engine/sandbox/create-sandbox.ts'
import type { SandboxLimits, ThreadEvents } from '../../../src/engine/sandbox/sandbox-thread.ts'

const events: ThreadEvents = { ended() {}, free() {}, gone() {} }
/** Limits that no other test has. */
const limits: SandboxLimits = {
  threads: 1,
  spareThreads: 0,
  spareKeepMs: 5000,
  waitingThreads: 1,
  memory: 33 * 1024 * 1024,
  timeout: 5000,
  grace: 500,
  maxJsonLength: 1024,
}
const source = 'export const code = async (inputs) => inputs.n'

test('a sandbox reuses the idle thread of a closed sandbox', async () => {
  for (const n of [1, 2]) {
    const sandbox = createSandbox(limits)
    expect((await sandbox.run(source, { n })).output).toBe(n)
    await sandbox.close()
    await expect(sandbox.run(source, { n })).rejects.toMatchObject({ reason: 'lost' })
  }
  expect(takeThread({ ...limits, memory: limits.memory + 1 }, events)).toBeUndefined()
  const idle = takeThread(limits, events)
  expect(idle?.isFree).toBe(true)
  expect(takeThread(limits, events)).toBeUndefined()
  await idle?.end(undefined)
})

test('a thread that is busy when its sandbox closes is terminated, and its job fails', async () => {
  const sandbox = createSandbox(limits)
  const endless = expect(sandbox.run('export const code = () => { for (;;); }', {})).rejects.toMatchObject({
    reason: 'lost',
  })
  await sandbox.close()
  await endless
  expect(takeThread(limits, events)).toBeUndefined()
})
