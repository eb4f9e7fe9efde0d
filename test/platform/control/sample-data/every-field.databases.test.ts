import { isDeepStrictEqual } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import type * as z from 'zod'
import { type SampleListName, sampleListNames } from '../../../../src/contract/control/sample-data.ts'
import { AccountRecord } from '../../../../src/contract/control/sample-data-records.ts'
import type { Endpoint } from '../../../../src/contract/endpoint/endpoint.ts'
import { contract } from '../../../../src/contract/resources/index.ts'
import { type SampleData, startPlatform } from '../../../../src/platform.ts'
import { databases } from '../../../support/databases.ts'
import { everyField, type Fields, shapeOf } from '../../../support/every-field.ts'
import { fieldPaths, fieldsOf } from '../../../support/schema-values.ts'

/** Fields that an export does not have in this test, and why. */
const notExported: Readonly<Record<string, string>> = {
  ref: 'only of a record whose name another one has',
  'templates[].ref': 'only of a template whose name another one has',
  'versions[].flow.trigger': 'an export has the live version of an automation only',
  'versions[].flow.steps': 'as before',
  'versions[].created_at': 'as before',
}

/** Returns the exported record of a given one. Automations are exported in the order of their creation. */
const counterpart = (exported: readonly Fields[], given: Fields, n: number): Fields | undefined =>
  given.name === undefined ? exported[n] : exported.find((it) => it.name === given.name)

describe.each(databases)('on $name', ({ target }) => {
  test('every field that a file can have survives loading and exporting', async () => {
    const place = await target()
    const { data, kinds } = everyField()
    const platform = await startPlatform({
      data,
      clock: '2027-01-01T09:00:00Z',
      ...('url' in place && { database: place.url }),
    })
    onTestFinished(() => platform.close())
    const exported = ((await platform.control('GET', 'export?include_secrets=true')) as { data: SampleData }).data
    for (const list of sampleListNames) expectFields(list, data, exported, kinds[list])

    const others = exported.accounts.slice(1)
    expect(others).toHaveLength(data.accounts.length - 1)
    for (const [n, given] of data.accounts.slice(1).entries()) expect(others[n]).toMatchObject(given)
    expect(Object.keys(AccountRecord.shape).filter((it) => !others.some((one) => Object.hasOwn(one, it)))).toEqual([])
  })
})

function expectFields(list: SampleListName, data: SampleData, exported: SampleData, kinds: readonly string[]): void {
  const recordsOf = ({ accounts: [account] }: SampleData): readonly Fields[] => (account?.[list] ?? []) as never
  const [given, found] = [recordsOf(data), recordsOf(exported)]
  expect([list, found.length]).toEqual([list, given.length])
  const survived = new Set<string>()
  const lost = new Map<string, unknown>()
  const shape = shapeOf(list)
  for (const [n, record] of given.entries())
    for (const [name, value] of Object.entries(record)) {
      const schema = shape[name] as z.ZodType
      const after = fieldsOf(schema, counterpart(found, record, n)?.[name], name)
      for (const field of fieldsOf(schema, value, name)) {
        const isSame = after.some((it) => isDeepStrictEqual(it, field))
        if (isSame) survived.add(`${kinds[n]} ${field.path}`)
        else lost.set(`${kinds[n]} ${field.path}`, field.value)
      }
    }
  // A field that does not apply to a kind of record is in none of them.
  for (const path of lost.keys())
    expect(survived, `${list}: ${path} ${JSON.stringify(lost.get(path))}`).not.toContain(path)
  const all = new Set([...survived].map((it) => it.replace(/^\w+ \d+ /, '')))
  const wanted = Object.entries(shape).flatMap(([name, schema]) => fieldPaths(schema, name))
  expect([list, wanted.filter((it) => !all.has(it) && notExported[it] === undefined)]).toEqual([list, []])
}

/** The lists with what the endpoints of a resource store. */
const listsOf: Readonly<Record<string, readonly SampleListName[]>> = {
  keys: ['keys'],
  tools: ['tools'],
  campaigns: ['campaigns'],
  leads: ['campaigns'],
  numbers: ['numbers'],
  assistants: ['assistants'],
  conversations: ['conversations'],
  messaging: ['senders'],
  automate: ['automations'],
  folders: ['folders'],
  labels: ['labels'],
  knowledge: ['knowledge'],
  sipTrunks: ['sip_trunks'],
}

/** Endpoints, and fields of requests, whose values are not in a file, and why. */
const notStored: Readonly<Record<string, string>> = {
  'approvals.create': 'an operation waits for an hour, and is not exported',
  'approvals.decide': 'an operation is not exported',
  'approvals.start': 'an operation is not exported',
  'approvals.recordRequest': 'an operation is not exported',
  'approvals.end': 'an operation is not exported',
  'calls.start': 'its effect is a call',
  'conversations.send': 'its effect is messages of the conversation',
  'replies.generate': 'its effect is a conversation',
  'messaging.send': 'its effect is a conversation',
  'messaging.sendFreeform': 'its effect is a conversation',
  'sms.send': 'its effect is a message outside',
  'contacts.block': 'contacts export has them',
  'contacts.unblock': 'its effect is a removal',
  'contacts.cancelWaiting': 'its effect is that something is not sent',
  'contacts.sendWaiting': 'its effect is a call or message',
  'contacts.updateSettings': 'contacts settings has them',
  'contacts.updateHours': 'contacts hours has them',
  'automate.rerun': 'its effect is a run, and runs are not exported',
  'automate.apply': 'its effect is an automation, which has the values in its steps',
  'automate.create.sample': 'for the test run before it is published',
  'automate.create.confirm_side_effects': 'for the test run before it is published',
  'automate.update.sample': 'for the test run before it is published',
  'automate.update.confirm_side_effects': 'for the test run before it is published',
  'campaigns.updateStatus': 'its effect is the status',
  'user.resume': 'its effect is the end of a stop',
  'keys.create.expires': 'a file has the time, as expires_at',
  'leads.create.campaign_id': 'a file has the leads in their campaign',
  'leads.update.campaign_id': 'a file has the leads in their campaign',
  'leads.create.allow_dupplicate': 'only for the request',
  'leads.createBatch.campaign_id': 'a file has the leads in their campaign',
  'leads.createBatch.allow_dupplicate': 'only for the request',
}

test('every field that a request can store is a field of a file', () => {
  const missing = Object.entries(contract).flatMap(([resource, endpoints]) =>
    Object.entries(endpoints as Readonly<Record<string, Endpoint>>).flatMap(([name, { method, body }]) => {
      const known = (listsOf[resource] ?? []).flatMap((list) =>
        Object.entries(shapeOf(list)).flatMap(([field, schema]) => fieldPaths(schema, field)),
      )
      const fields = method === 'GET' ? [] : Object.keys((body as z.ZodObject | undefined)?.shape ?? {})
      return fields
        .filter((field) => !known.some((path) => path.split(/\[\]\.|\[\]|\./).includes(field)))
        .map((field) => `${resource}.${name}.${field}`)
    }),
  )
  const isException = (it: string): boolean => it in notStored || it.replace(/\.\w+$/, '') in notStored
  expect(missing.filter((it) => !isException(it))).toEqual([])
})
