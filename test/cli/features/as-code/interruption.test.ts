import { describe, expect, test } from 'vitest'
import type { Operator, RunOptions } from '../../../support/operator.ts'
import { pulled, tool, write, writes } from './code-folder.ts'

// A signal that arrives while a command computes, or between two writes.

const count = 120

const withManyFiles = async (): Promise<Operator> => {
  const by = await pulled()
  for (let n = 0; n < count; n++) write(by, `tools/other-${n}.yaml`, tool(`other_${n}`))
  return by
}

/** The signal arrives with the next event after the first request of a path. */
function stoppedAfter(path: string): RunOptions {
  const interrupt = new AbortController()
  return {
    interrupt,
    through: (handle, request) => {
      if (request.url.includes(path)) setImmediate(() => interrupt.abort(143))
      return handle(request)
    },
  }
}

describe('SIGTERM ends a command that computes', () => {
  test.each(['push --dry-run', 'push --yes', 'diff', 'pull --dry-run', 'doctor'])('%s', async (line) => {
    const by = await withManyFiles()
    const { exitCode, requests } = await by.run(line, stoppedAfter(line === 'doctor' ? '/user/me' : '/tools'))
    expect(exitCode).toBe(143)
    expect(writes(requests)).toEqual([])
  })
})

test('a push that is interrupted between two writes says what it wrote, and is completed by another one', async () => {
  const by = await withManyFiles()
  const interrupt = new AbortController()
  let creations = 0
  const run = await by.run('push --yes', {
    interrupt,
    through: async (handle, request) => {
      const answer = await handle(request)
      if (request.method === 'POST' && ++creations === 3) interrupt.abort(129)
      return answer
    },
  })
  expect(run, run.stderr.slice(-1000)).toMatchObject({ exitCode: 129, stdout: '' })
  expect(run.stderr).toMatch(
    /warning: \d resources were written before this, the last one from tools\/other-\d+\.yaml\./,
  )
  expect(await by.run('push --yes')).toMatchObject({ exitCode: 0 })
  expect((await by.run('tools list --fields name -o csv')).stdout.match(/^other_/gm)).toHaveLength(count)
})
