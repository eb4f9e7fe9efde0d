import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { code, event, hook, http, respond } from '../../support/flow-definitions.ts'
import { filledPlace, newPlace, type Place, start } from './built-program.ts'
import { type RelayOptions, relay } from './relay.ts'
import { credentialsOf, type Served, serve } from './server-process.ts'

// Ten ways in which an update or a rollback goes wrong. After each, what is live, whether it is enabled, what its webhook answers and the exit code are what
// the message said.

export interface Ended {
  readonly exitCode: number
  /** Everything that was said, a space between words. */
  readonly text: string
}

/** Somebody who runs commands: `agree` is what is typed when it is asked, `y` or a name. */
export type Act = (line: string, at: Place, agree?: string) => Promise<Ended>

const greet = (words: string) => ({
  trigger: hook,
  steps: [
    code('({ hello: inputs.name })', { name: "{{trigger['body']['name']}}" }),
    respond({ text: `${words} {{step_1['hello']}}` }),
  ],
})
const files: Readonly<Record<string, object>> = {
  hello: greet('Hello'),
  bye: greet('Bye'),
  third: greet('Third'),
  // Fails wherever it runs.
  bad: { trigger: hook, steps: [code('inputs.none.at', {}), respond({ text: 'never' })] },
  // Passes where no request is made, and fails on the platform.
  there: { trigger: hook, steps: [http('GET', 'http://127.0.0.1:9/'), respond({ text: 'There' })] },
  mailing: { trigger: hook, steps: [code('1', { key: "{{connections['crm']}}" }), respond({ text: 'Mailing' })] },
  bound: { trigger: event('newConversation'), steps: [code('1')] },
}

interface State {
  readonly version: number
  readonly status: string
  /** What the webhook answers; `off` where it starts nothing. */
  readonly answer: string
}

interface Desk {
  readonly at: Place
  readonly id: string
  readonly name: string
  state(): Promise<State>
  /** One request of another operator. */
  other(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>
}

const isUpdate = ({ method, url = '' }: { method?: string | undefined; url?: string | undefined }): boolean =>
  method === 'PUT' && /\/flows\/\w+$/.test(url)
const isRestore = ({ method, url = '' }: { method?: string | undefined; url?: string | undefined }): boolean =>
  method === 'POST' && url.endsWith('/restore')

/** The drill, for one way of running commands: all scenarios, or only the main ones. */
export function drill(how: string, act: Act, which: 'all' | 'main' = 'all'): void {
  const more = which === 'all' ? test : () => {}
  let server: Served
  let count = 0
  beforeAll(async () => {
    server = await serve(await filledPlace())
  })

  async function ask(method: string, path: string, body?: unknown): ReturnType<Desk['other']> {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${server.key}`,
        'parley-control': credentialsOf(server.at).control,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
  }

  /** An automation whose versions are those of the files, the last of them live, and an operator who reaches it through `options`. */
  async function desk(versions: readonly string[], options: RelayOptions = {}): Promise<Desk> {
    const [first = 'hello', ...others] = versions
    const name = `Greeting ${++count}`
    const flows = '/api/user/automate/flows'
    const sample = { name: 'Ada' }
    const made = await ask('POST', flows, { name, flow: files[first], sample })
    const id = String(made.body.automation_id)
    for (const file of others) await ask('PUT', `${flows}/${id}`, { flow: files[file], sample })
    const place = newPlace()
    for (const [file, flow] of Object.entries(files))
      writeFileSync(join(place.dir, `${file}.json`), JSON.stringify(flow))
    const env = { ...place.env, PARLEY_API_KEY: server.key, PARLEY_BASE_URL: await relay(server.url, options) }
    return {
      at: { ...place, env },
      id,
      name,
      other: (method, path, body) => ask(method, `${flows}/${id}${path}`, body),
      async state() {
        const { status } = (await ask('GET', `${flows}/${id}`)).body.data as { status: string }
        const { versions: all } = (await ask('GET', `${flows}/${id}/versions`)).body as {
          versions: { number: number; live: boolean }[]
        }
        const called = await ask('POST', `/automate/api/v1/webhooks/${id}/sync`, { name: 'Ada' })
        return {
          version: all.find((it) => it.live)?.number ?? 0,
          status,
          answer: called.status === 200 ? String(called.body.text) : 'off',
        }
      },
    }
  }

  const sampled = '--sample {"name":"Ada"}'

  describe(`${how}: a rollback drill`, () => {
    test('bad code is stopped before anything is sent', async () => {
      const { at, id, state } = await desk(['hello'])
      const { exitCode, text } = await act(`automate update ${id} --file bad.json ${sampled}`, at)
      expect(exitCode).toBe(20)
      expect(text).toContain('Nothing was sent, and the live version is unchanged.')
      expect(text).toContain('step_1:')
      expect(await state()).toEqual({ version: 1, status: 'enabled', answer: 'Hello Ada' })
    })

    more('a binding that another automation holds is refused with its name', async () => {
      const holder = await ask('POST', '/api/user/automate/flows', {
        name: `Holder ${how}`,
        flow: files.bound,
        assistant_id: 2,
      })
      const { at, id, state } = await desk(['hello'])
      const { exitCode, text } = await act(`automate update ${id} --file bound.json --assistant-id 2`, at)
      expect(exitCode).toBe(5)
      expect(text).toContain(`"Holder ${how}"`)
      expect(await state()).toEqual({ version: 1, status: 'enabled', answer: 'Hello Ada' })
      await ask('DELETE', `/api/user/automate/flows/${holder.body.automation_id}`)
    })

    more('a missing connection stops an update and a restore, and neither changes anything', async () => {
      await ask('POST', '/control/accounts/1/connections', { kind: 'crm-b', name: 'crm', secret: { token: 't' } })
      const { at, id, name, state } = await desk(['mailing', 'bye'])
      const { body } = await ask('GET', '/control/accounts/1/connections')
      const [connection] = (body.data as { id: number; name: string }[]).filter((it) => it.name === 'crm')
      await ask('DELETE', `/control/accounts/1/connections/${connection?.id}`)
      for (const line of [`automate update ${id} --file mailing.json ${sampled}`, `automate restore ${id}`]) {
        const { exitCode, text } = await act(line, at, line.includes('restore') ? name : undefined)
        expect(exitCode, line).toBe(6)
        expect(text, line).toMatch(/connection.*crm/i)
        expect(await state(), line).toEqual({ version: 2, status: 'enabled', answer: 'Bye Ada' })
      }
    })

    more('of two operators who restore at the same moment the second changes nothing', async () => {
      const here: { desk?: Desk } = {}
      here.desk = await desk(['hello', 'bye'], {
        before: async (request) => {
          if (isRestore(request)) await here.desk?.other('POST', '/restore')
          return undefined
        },
      })
      const { exitCode, text } = await act(`automate restore ${here.desk.id}`, here.desk.at, here.desk.name)
      expect(exitCode).toBe(5)
      expect(text).toMatch(/version 3 \(\w+\), since 20/)
      expect(await here.desk.state()).toEqual({ version: 3, status: 'enabled', answer: 'Hello Ada' })
    })

    more('kill -9 before the update arrives changes nothing, and the same command again goes through', async () => {
      let received = (): void => {}
      const isReceived = new Promise<void>((done) => {
        received = done
      })
      let isKilled = false
      const { at, id, state } = await desk(['hello'], {
        before: async (request) => {
          if (!isUpdate(request) || isKilled) return undefined
          received()
          return 'drop'
        },
      })
      const killed = start(`automate update ${id} --file bye.json ${sampled}`, { at })
      await isReceived
      killed.kill('SIGKILL')
      await killed.ended
      isKilled = true
      expect(await state()).toEqual({ version: 1, status: 'enabled', answer: 'Hello Ada' })
      const open = await act('ops list --open', at)
      expect(open.text).toContain('automate.update')
      const { exitCode, text } = await act(`automate update ${id} --file bye.json ${sampled}`, at)
      expect(exitCode).toBe(0)
      expect(text).toContain('Automation updated, tested, and live (version 2).')
      expect(await state()).toEqual({ version: 2, status: 'enabled', answer: 'Bye Ada' })
      expect((await act('ops list --open', at)).text).not.toContain('automate.update')
    })

    test('kill -9 after a definition that fails its test was published is finished by ops reconcile', async () => {
      let received = (): void => {}
      const isReceived = new Promise<void>((done) => {
        received = done
      })
      let isKilled = false
      const { at, id, name, state } = await desk(['hello'], {
        plain: true,
        after: async (request) => {
          if (!isUpdate(request) || isKilled) return undefined
          received()
          return 'drop'
        },
      })
      const killed = start(`automate update ${id} --file there.json ${sampled}`, { at })
      await isReceived
      killed.kill('SIGKILL')
      await killed.ended
      isKilled = true
      expect(await state()).toEqual({ version: 2, status: 'disabled', answer: 'off' })
      const { exitCode, text } = await act('ops reconcile', at)
      expect(exitCode).toBe(0)
      expect(text).toContain(`"${name}" (${id}): the previous version was restored and enabled. It is enabled.`)
      expect(await state()).toEqual({ version: 3, status: 'enabled', answer: 'Hello Ada' })
    })

    test('a restore whose answer is lost is repeated under its key, and done once', async () => {
      let isLost = false
      const { at, id, name, state } = await desk(['hello', 'bye'], {
        after: (request) => {
          if (!isRestore(request) || isLost) return undefined
          isLost = true
          return 'drop'
        },
      })
      const { exitCode, text } = await act(`automate restore ${id}`, at, name)
      expect(exitCode).toBe(0)
      expect(text).toContain('Restored version 1 as version 3.')
      expect(await state()).toEqual({ version: 3, status: 'enabled', answer: 'Hello Ada' })
    })

    more('a disabled automation stays disabled, whatever is restored or updated', async () => {
      const { at, id, other, state } = await desk(['hello', 'bye'])
      await other('PUT', '', { enabled: false })
      const restored = await act(`automate restore ${id}`, at, 'y')
      expect(restored.exitCode).toBe(0)
      expect(restored.text).toContain('The automation stays disabled.')
      expect(await state()).toEqual({ version: 3, status: 'disabled', answer: 'off' })
      const updated = await act(`automate update ${id} --file third.json ${sampled}`, at)
      expect(updated.exitCode).toBe(0)
      expect(updated.text).toContain('It stays disabled.')
      expect(await state()).toEqual({ version: 4, status: 'disabled', answer: 'off' })
    })

    test('a deployment that publishes before it tests is rolled back, enabled and read back', async () => {
      const { at, id, state } = await desk(['hello'], { plain: true })
      const { exitCode, text } = await act(`automate update ${id} --file there.json ${sampled}`, at)
      expect(exitCode).toBe(20)
      expect(text).toContain(
        'Rolled back: the test failed after publishing. The previous version is live again. It is enabled.',
      )
      expect(text).toContain('step_1 failed')
      expect(await state()).toEqual({ version: 3, status: 'enabled', answer: 'Hello Ada' })
    })

    more('a restore activates the version preceding the three newest', async () => {
      const { at, id, name, state } = await desk(['hello', 'bye', 'third', 'bye'])
      const { exitCode, text } = await act(`automate restore ${id} --to 1`, at, name)
      expect(exitCode).toBe(0)
      expect(text).toContain('Restored version 1 as version 5. The automation stays enabled.')
      expect(await state()).toEqual({ version: 5, status: 'enabled', answer: 'Hello Ada' })
    })

    test('a restore is undone', async () => {
      const { at, id, name, state } = await desk(['hello', 'bye'])
      expect((await act(`automate restore ${id}`, at, name)).exitCode).toBe(0)
      expect(await state()).toEqual({ version: 3, status: 'enabled', answer: 'Hello Ada' })
      const { exitCode, text } = await act('history undo 1', at, name)
      expect(exitCode).toBe(0)
      expect(text).toContain('Restored automation')
      expect(text).toContain('It is enabled.')
      expect(await state()).toEqual({ version: 4, status: 'enabled', answer: 'Bye Ada' })
    })
  })
}
