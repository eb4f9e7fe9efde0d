import { describe, expect, test } from 'vitest'
import type { PlainRequest, PlainResponse } from '../../../../src/contract/endpoint/http-message.ts'
import { notParleyServer, withoutCapability } from '../../../support/altered-responses.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

/** An automation that sends messages from the number 4 in its last step. */
const automation = (n: number) => ({
  id: `flow${String(n).padStart(17, '0')}`,
  name: `Flow ${n}`,
  status: 'enabled',
  binding: null,
})
const definition = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: {},
  nextAction: { name: 'step_1', type: 'PIECE', settings: { actionName: 'sendSms', input: { from: 4 } } },
}
const withDefinition = (n: number) => ({ ...automation(n), updated_at: '2026-01-01T00:00:00.000Z', definition })
const isList = ({ url }: PlainRequest): boolean => /\/automate\/flows(?:\?|$)/.test(url)
const isPage = ({ url }: PlainRequest): boolean => url.includes('/automate/definitions')

/**
 * A platform with as many automations, which cannot search for references. `onPage` is awaited before each page of definitions
 * but the first.
 */
const withAutomations = (count: number, onPage: () => Promise<void> | void = () => {}): Through =>
  withoutCapability('reference-search', async (handle, request) => {
    const { status, headers } = await handle(request)
    const json = (body: object): PlainResponse => ({ status, headers, body: JSON.stringify(body) })
    const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n)
    if (isList(request)) return json({ data: range(0, count).map(automation) })
    if (isPage(request)) {
      const query = new URL(request.url, 'http://x').searchParams
      const [from, limit] = [Number(query.get('cursor')?.split('.')[0] ?? 0), Number(query.get('limit'))]
      if (from > 0) await onPage()
      const to = Math.min(from + limit, count)
      return json({ data: range(from, to).map(withDefinition), next_cursor: to < count ? `${to}.x` : null })
    }
    const single = /\/flows\/flow(\d+)/.exec(request.url)
    return single ? { ...json({ data: withDefinition(Number(single[1])) }), status: 200 } : handle(request)
  })

const elsewhere =
  (through: Through): Through =>
  (handle, request) =>
    notParleyServer((it) => through(handle, it), request)

const definitionReads = (requests: readonly string[]): number =>
  requests.filter((it) => /automate\/(?:definitions|flows\/)/.test(it)).length

describe('the references of a number in an account with many automations', () => {
  test.each([
    [400, 1],
    [1200, 3],
  ])('%i automations are read with %i requests for their definitions', async (count, pages) => {
    const { stdout, requests, exitCode } = await operator().run('refs numbers 4 --used-by -o id', {
      through: withAutomations(count),
    })
    expect(exitCode).toBe(0)
    expect(stdout.match(/^flow/gm)).toHaveLength(count)
    expect(definitionReads(requests)).toBe(pages)
  })

  test('a few automations, and those of a platform without pages, are read one by one', async () => {
    const few = await operator().run('refs numbers 4 --used-by -o id', { through: withAutomations(4) })
    expect([few.stdout.match(/^flow/gm)?.length, definitionReads(few.requests)]).toEqual([4, 4])
    const other = await operator().run('refs numbers 4 --used-by -o id', { through: elsewhere(withAutomations(60)) })
    expect([other.stdout.match(/^flow/gm)?.length, definitionReads(other.requests)]).toEqual([60, 60])
  })

  test('a page that cannot be read is reported, and its references are not claimed to be all', async () => {
    const many = withAutomations(600)
    const { exitCode, stderr } = await operator().run('refs numbers 4 --used-by', {
      through: async (handle, request) =>
        isPage(request)
          ? { status: 403, headers: { 'content-type': 'application/json' }, body: '{"message":"Not for this key."}' }
          : many(handle, request),
    })
    expect(exitCode).toBe(0)
    expect(stderr).toContain(
      'Could not be read: the definitions of automations (Not for this key). References in them are not listed.',
    )
  })

  test.each(['refs numbers 4 --used-by -o id', 'doctor'])(
    'a terminal shows how many definitions "%s" has read',
    async (line) => {
      let screen = ''
      let onDrawn = (): void => {}
      const shown = (text: string): Promise<void> =>
        new Promise((resolve) => {
          onDrawn = () => screen.includes(text) && resolve()
          onDrawn()
        })
      const { exitCode } = await operator().run(line, {
        terminal: { stderr: true },
        onScreen: (text) => {
          screen += text
          onDrawn()
        },
        through: withAutomations(1000, () => shown('Reading definitions of automations: 500 of 1000')),
      })
      // doctor finds something wrong with the automations.
      expect(exitCode).toBe(line === 'doctor' ? 20 : 0)
    },
  )

  test('Ctrl-C ends the command before the next page', async () => {
    const interrupt = new AbortController()
    const { exitCode, stdout, requests } = await operator().run('refs numbers 4 --used-by', {
      interrupt,
      through: withAutomations(2000, () => interrupt.abort(130)),
    })
    expect([exitCode, stdout, definitionReads(requests)]).toEqual([130, '', 2])
  })
})

test('files of many automations are compared with pages of their definitions', async () => {
  const { exitCode, stdout, requests } = await operator().run('pull --only automations --check --json', {
    through: withAutomations(600),
  })
  expect([exitCode, JSON.parse(stdout).length, definitionReads(requests)]).toEqual([20, 600, 2])
})
