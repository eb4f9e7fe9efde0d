import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ResourceNames } from '../../../../src/cli/program/documents/resource-names.ts'
import { type Operator, operator, type Run } from '../../../support/operator.ts'
import { assistant, change, tool, write, writes } from './code-folder.ts'
import { type TwoPlatforms, twoPlatforms } from './promotion/two-platforms.ts'

// What a file costs must not depend on how many others there are: requests are counted, and reads of names.

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n)
const padded = (n: number): string => String(n).padStart(3, '0')

async function succeed(by: Operator, line: string): Promise<Run> {
  const run = await by.run(line)
  expect(run.exitCode, run.stdout + run.stderr).toBe(0)
  return run
}

/** Files of each kind that a push can create, by the number of the file. `text` is in a field that is changed later. */
const kinds: Readonly<Record<string, (n: number, text: string) => readonly [file: string, content: string]>> = {
  tools: (n, text) => [`tools/t-${n}.yaml`, tool(`t_${n}`).replace('Some tool.', text)],
  folders: (n, text) => [`folders/f-${n}.yaml`, `name: Folder ${n}\ncolor: ${text === 'one' ? 'red' : 'blue'}\n`],
  labels: (n, text) => [`labels/l-${n}.yaml`, `name: Label ${n}\ncolor: ${text === 'one' ? 'red' : 'blue'}\n`],
  knowledge: (n, text) => [`knowledge/k-${n}.yaml`, `name: Base ${n}\ndescription: ${text}\n`],
  assistants: (n, text) => [`assistants/a-${n}.yaml`, assistant(`Desk ${n}`).replace('Hello', text)],
}

/** Creates as many resources with one push, and changes them with another. Returns the requests of each. */
async function pushMany(kind: string, count: number): Promise<number[]> {
  const by = operator()
  await succeed(by, `pull --only ${kind}`)
  const requests: number[] = []
  for (const text of ['one', 'two']) {
    for (const n of numbers(count)) {
      const [file, content] = (kinds[kind] as NonNullable<(typeof kinds)[string]>)(n, text)
      write(by, file, content)
    }
    const run = await succeed(by, `push --only ${kind} --yes`)
    expect(writes(run.requests)).toHaveLength(count)
    requests.push(run.requests.length)
  }
  return requests
}

describe('a push of five times as many files takes at most five times as many requests', () => {
  test.each(Object.keys(kinds))('%s', async (kind) => {
    const [few, many] = [await pushMany(kind, 5), await pushMany(kind, 25)]
    for (const [n, requests] of many.entries()) expect(requests / (few[n] as number)).toBeLessThanOrEqual(5)
  })
})

/** Counts how often a name is looked for while `work` runs. */
async function countLookups(work: () => Promise<unknown>): Promise<number> {
  const lookups = vi.spyOn(ResourceNames.prototype, 'idOf')
  onTestFinished(() => lookups.mockRestore())
  await work()
  const { length } = lookups.mock.calls
  lookups.mockRestore()
  return length
}

/** Pushes as many new assistants, of which each transfers calls to the next file, so that the last one is created first. */
async function pushChain(count: number): Promise<unknown> {
  const by = operator()
  await succeed(by, 'pull --only assistants')
  for (const n of numbers(count)) {
    const transfer = `tools:\n  - type: assistant_transfer\n    assistant_id: Desk ${n + 1}\n`
    write(by, `assistants/a-${padded(n)}.yaml`, assistant(`Desk ${n}`, n === count - 1 ? '' : transfer))
  }
  const run = await succeed(by, 'push --only assistants --yes')
  return expect(writes(run.requests)).toHaveLength(count)
}

test('files that reference each other in the opposite order of their names are prepared a few times each', async () => {
  const [few, many] = [await countLookups(() => pushChain(10)), await countLookups(() => pushChain(40))]
  expect(few).toBeGreaterThan(10)
  expect(many / few).toBeLessThan(4.5)
})

/** Two platforms, of which only staging has resources: as many tools. */
function withTools(count: number): Promise<TwoPlatforms> {
  const tools = numbers(count).map((n) => ({
    name: `t_${n}`,
    description: 'One',
    endpoint: 'https://x.example',
    method: 'GET',
  }))
  const data = (account: object) => ({ version: 1, accounts: [account] })
  return twoPlatforms(data({ name: 'Empty' }), undefined, data({ name: 'Many', tools }))
}

/** Promotes as many new tools, and then a change of each. Returns the requests of both promotions. */
async function promoteMany(count: number): Promise<number[]> {
  const on = await withTools(count)
  const promote = async (): Promise<number> => {
    on.takeWrites()
    on.takeRequests()
    const run = await on.run('promote --from staging --to production --only tools --confirm production')
    expect(run.exitCode, run.stderr).toBe(0)
    expect(on.takeWrites()).toHaveLength(count)
    return on.takeRequests().length
  }
  const created = await promote()
  await on.run('--profile staging pull --only tools')
  for (const n of numbers(count)) change(on.by, `tools/t-${n}.yaml`, 'One', 'Two')
  const changed = await on.run('--profile staging push --only tools --yes')
  expect(changed.exitCode, changed.stderr).toBe(0)
  return [created, await promote()]
}

test('a promotion of five times as many resources takes at most five times as many requests', async () => {
  const [few, many] = [await promoteMany(10), await promoteMany(50)]
  for (const [n, requests] of many.entries()) expect(requests / (few[n] as number)).toBeLessThanOrEqual(5)
})

describe('on a terminal', () => {
  /** Waits until a text was drawn. */
  function screen(): { readonly onScreen: (text: string) => void; readonly shown: (text: string) => Promise<void> } {
    let drawn = ''
    let onDrawn = (): void => {}
    return {
      onScreen(text) {
        drawn += text
        onDrawn()
      },
      shown: (text) =>
        new Promise((resolve) => {
          onDrawn = () => drawn.includes(text) && resolve()
          onDrawn()
        }),
    }
  }

  test('a push shows which file it writes, and how many', async () => {
    const by = operator()
    await succeed(by, 'pull --only tools')
    for (const n of numbers(3)) write(by, `tools/t-${n}.yaml`, tool(`t_${n}`))
    const { onScreen, shown } = screen()
    let creations = 0
    const run = await by.run('push --only tools --yes', {
      terminal: { stderr: true },
      onScreen,
      through: async (handle, request) => {
        if (request.method === 'POST' && ++creations === 2) await shown('Writing 2 of 3: tools/t-1.yaml')
        return handle(request)
      },
    })
    expect(run.exitCode, run.stderr).toBe(0)
  })

  test('a promotion shows what it reads, and which resource it writes', async () => {
    const on = await withTools(3)
    const { onScreen, shown } = screen()
    on.onProduction(async (method, url) => {
      if (method === 'GET' && url === '/api/user/tools') await shown('Reading tools of production')
      if (method === 'POST') await shown('Writing 1 of 3: tools/')
    })
    const run = await on.run('promote --from staging --to production --only tools --confirm production', {
      terminal: { stderr: true },
      onScreen,
    })
    expect(run.exitCode, run.stderr).toBe(0)
  })
})
