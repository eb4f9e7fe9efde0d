import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resources } from '../../../../src/cli/program/resources/registry.ts'
import { http, webhook } from '../../../support/automation-nodes.ts'
import { everyNth } from '../../../support/case-count.ts'
import { foreignMasks, hide } from '../../../support/foreign-masks.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

/**
 * A deployment with its own mask, which stores whatever it is sent. `alsoShows` adds fields to each record, such as a
 * credential that the contract does not know.
 */
function deployment(
  mask: string,
  alsoShows: object = {},
): { readonly options: RunOptions; readonly written: string[] } {
  const written: string[] = []
  const withMore = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(withMore)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries({ ...value, ...('id' in value && alsoShows) }).map(([name, child]) => [
              name,
              withMore(child),
            ]),
          )
        : value
  const through: RunOptions['through'] = async (handle, request) => {
    if (request.method !== 'GET') written.push(request.body ?? '')
    const answer = await handle(request)
    if (request.method !== 'GET' || !answer.body) return answer
    return { ...answer, body: JSON.stringify(withMore(hide(JSON.parse(String(answer.body)), mask))) }
  }
  return { options: { through }, written }
}

describe('what a deployment shows in place of a credential is never stored over it', () => {
  /** Every noun whose resources are updated as a whole, with the command that prints its record. */
  const updated = Object.values(resources).filter(
    ({ noun, writes }) => Object.keys(writes).some((it) => it.endsWith('.update')) && noun !== 'senders',
  )
  const by = operator({ lasts: 'file' })

  test.each(
    everyNth(
      3,
      updated.flatMap((it) => foreignMasks.map((mask) => [it.noun, mask, it] as const)),
    ),
  )('by an update of %s from the output of get: %s', async (noun, mask, { list }) => {
    const { options, written } = deployment(mask, { api_key: mask, headers: [{ name: 'X-Api-Key', value: mask }] })
    await by.run('knowledge create --name Prices')
    const listing = list.replace('.', ' ').replace(/[A-Z]/g, (it) => `-${it.toLowerCase()}`)
    const [{ id }] = await by.json(listing.replace(/^knowledge list-documents.*/, 'knowledge list'), options)
    const shown = await by.run(`${noun} get ${id} --json`, options)
    const record =
      shown.exitCode === 0
        ? JSON.parse(shown.stdout)
        : (await by.json(listing, options)).find((it: { id: unknown }) => it.id === id)
    expect(JSON.stringify(record)).toMatch(/api_key/i)
    writeFileSync(join(by.cwd, 'read.json'), JSON.stringify(record))
    const run = await by.run(`${noun} update ${id} --file read.json`, options)
    expect(run, run.stderr).toMatchObject({ exitCode: 0 })
    expect(written.filter((it) => it.includes(mask) || it.includes('hidden'))).toEqual([])
  })
})

const secret = 'very-secret-key-1'

describe.each(everyNth(2, foreignMasks))('a deployment that shows %s', (mask) => {
  const withTool = async (): Promise<Operator> => {
    const by = operator()
    const line = `tools create --name crm --description CRM --endpoint https://crm.example --method GET --header "X-Api-Key: ${secret}" --header "X-Practice: northwind"`
    expect(await by.run(line)).toMatchObject({ exitCode: 0 })
    return by
  }
  const stored = async (by: Operator) => by.json('tools get crm --unmask')

  test('keeps the credentials of a tool when other fields are changed in a file', async () => {
    const by = await withTool()
    const { options, written } = deployment(mask)
    for (const flag of ['', ' --unmask']) {
      const shown = await by.json(`tools get crm${flag}`, options)
      writeFileSync(join(by.cwd, 'tool.json'), JSON.stringify({ ...shown, description: `Changed${flag}` }))
      expect(await by.run('tools update crm --file tool.json', options)).toMatchObject({ exitCode: 0 })
      expect(JSON.parse(written.pop() as string)).toEqual({ description: `Changed${flag}` })
    }
    expect((await stored(by)).headers[0].value).toBe(secret)
  })

  test('refuses to replace the list of headers while one of them is hidden, and takes the credential', async () => {
    const by = await withTool()
    const { options, written } = deployment(mask)
    const shown = await by.json('tools get crm', options)
    const headers = [shown.headers[0], { name: 'X-Practice', value: 'southwind' }]
    writeFileSync(join(by.cwd, 'tool.json'), JSON.stringify({ ...shown, headers }))
    for (const line of ['tools update crm --file tool.json', 'tools update crm --header "X-Practice: southwind"']) {
      const refused = await by.run(line, options)
      expect(refused).toMatchObject({ exitCode: 5, stdout: '' })
      expect(refused.stderr).toContain('headers.0.value (X-Api-Key) holds a mask instead of a credential.')
      expect(refused.stderr).toContain('The platform does not show the credential. Nothing was sent.')
      expect(refused.stderr).toContain('Replace the mask with the credential or an environment variable.')
    }
    expect(written).toEqual([])
    const given = await by.run(
      `tools update crm --header "X-Api-Key: ${secret}" --header "X-Practice: southwind"`,
      options,
    )
    expect(given).toMatchObject({ exitCode: 0 })
    expect((await stored(by)).headers.map((it: { value: string }) => it.value)).toEqual([secret, 'southwind'])
  })

  test('keeps the key of a calendar when an assistant is changed in a file', async () => {
    const by = operator()
    const tools = [{ type: 'calendar_integration', cal_a_api_key: secret, cal_a_event_slug: 'visit' }]
    expect(await by.run(['assistants', 'update', '2', '--tools', JSON.stringify(tools)])).toMatchObject({ exitCode: 0 })
    const { options, written } = deployment(mask)
    for (const flag of ['', ' --unmask']) {
      const shown = await by.json(`assistants get 2${flag}`, options)
      writeFileSync(join(by.cwd, 'a.json'), JSON.stringify({ ...shown, max_duration: flag === '' ? 301 : 302 }))
      expect(await by.run('assistants update 2 --file a.json', options)).toMatchObject({ exitCode: 0 })
      expect(JSON.parse(written.pop() as string)).toEqual({ max_duration: flag === '' ? 301 : 302 })
      const changed = shown.tools.map((it: object) => ({ ...it, cal_a_event_slug: 'cleaning' }))
      writeFileSync(join(by.cwd, 'a.json'), JSON.stringify({ ...shown, tools: changed }))
      const refused = await by.run('assistants update 2 --file a.json', options)
      expect([refused.exitCode, refused.stdout, written]).toEqual([5, '', []])
      expect(refused.stderr).toContain('tools.0.cal_a_api_key')
    }
    expect((await by.json('assistants get 2 --unmask')).tools[0].cal_a_api_key).toBe(secret)
  })

  test('keeps the credentials of an automation: filled in where they are shown, else refused', async () => {
    const by = operator()
    const steps = [http({ url: 'https://crm.example/', headers: { authorization: `Bearer ${secret}`, accept: 'a/b' } })]
    writeFileSync(join(by.cwd, 'flow.json'), JSON.stringify({ name: 'Crm', flow: { trigger: webhook(), steps } }))
    await by.run('automate create --file flow.json')
    const showing = deployment(mask)
    // The deployment shows the credential if it is asked to.
    const through: RunOptions['through'] = (handle, request) =>
      /include_secrets/.test(request.url) ? handle(request) : showing.options.through!(handle, request)
    const { definition } = await by.json('automate get Crm', showing.options)
    expect(JSON.stringify(definition)).toContain(JSON.stringify(mask))
    const { nextAction, ...trigger } = JSON.parse(JSON.stringify(definition).replace('a/b', 'c/d'))
    writeFileSync(join(by.cwd, 'flow.json'), JSON.stringify({ trigger, steps: [nextAction] }))
    const refused = await by.run('automate update Crm --file flow.json', showing.options)
    expect([refused.exitCode, refused.stdout, showing.written]).toEqual([5, '', []])
    expect(refused.stderr).toContain('flow.steps.0.settings.input.headers.authorization')
    await by.run('automate update Crm --file flow.json --no-rollback-on-failure', { through })
    const live = JSON.stringify(await by.json('automate get Crm --unmask'))
    expect(live).toContain(`Bearer ${secret}`)
    expect(live).toContain('c/d')
  })

  test('keeps the credentials of a folder that is pulled and pushed', async () => {
    const by = await withTool()
    const { options, written } = deployment(mask)
    expect(await by.run('pull', options)).toMatchObject({ exitCode: 0 })
    expect(await by.run('push', options)).toMatchObject({ exitCode: 0 })
    expect(written).toEqual([])
    await by.run('tools update crm --description Changed')
    const [{ entry }] = await by.json('history list')
    expect(await by.run(`history undo ${entry}`, options)).toMatchObject({ exitCode: 0 })
    expect(written.filter((it) => it.includes(mask))).toEqual([])
    expect((await stored(by)).headers[0].value).toBe(secret)
  })
})
