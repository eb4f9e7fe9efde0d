import { mapReference } from '../../../../contract/references/reference-paths.ts'
import { references } from '../../../../contract/references/resource-references.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { resolveReferences } from '../../../program/documents/environment-secrets.ts'
import type { ProjectFiles } from './project-files.ts'
import type { TestScenario } from './scenario-schema.ts'

type Fields = Readonly<Record<string, unknown>>
type Records = Record<string, unknown>[]

/** Host of URLs that no request reaches. */
const mockHost = 'https://mock.invalid'
/** Number of the platform in simulated calls and messages. */
export const ownNumber = '+14155550199'
/** Number of the sender in messaging scenarios. */
export const senderNumber = '+14155550198'

/** Used for every secret, so that none is in a request, a report or a cassette. */
const noSecrets: Readonly<Record<string, string>> = new Proxy({}, { get: () => 'test-secret' })

const objectsIn = (it: unknown): Fields[] => (Array.isArray(it) ? it.filter(isObject) : [])
const nameOf = (it: Fields): unknown => it.ref ?? it.name ?? it.phone_number

/** Lists in which a missing record is added, so that assistants can be tested without the rest of their account. */
const stubs: Readonly<Record<string, readonly [list: string, record: (name: string) => Fields]>> = {
  numbers: ['numbers', (phone_number) => ({ phone_number, country_code: 'US' })],
  knowledge: ['knowledge', (name) => ({ name })],
  folders: ['folders', (name) => ({ name })],
  labels: ['labels', (name) => ({ name })],
  tools: [
    'tools',
    (name) => ({ name, description: name.replaceAll('_', ' '), endpoint: `${mockHost}/${name}`, method: 'POST' }),
  ],
}

/**
 * Returns the account of a temporary platform: the files of the project and the data of the scenario. Webhooks are
 * removed. With mocks, the URL of a tool ends with its name, by which its request is recognized, and secrets are
 * placeholders.
 */
export function sampleAccount(
  project: ProjectFiles,
  scenario: Pick<TestScenario, 'data' | 'channel' | 'assistant' | 'mocks'>,
  { env, isLive }: { readonly env: Readonly<Record<string, string | undefined>>; readonly isLive: boolean },
): object {
  const { data, channel, assistant } = scenario
  const resolve = (fields: Fields, list: string): Fields =>
    resolveReferences(fields, '', { env: isLive ? env : noSecrets, file: `${list}/${String(fields.name)}` }) as Fields
  const own = new Set(objectsIn(data.assistants).map(nameOf))
  const account: Record<string, Records> = {
    ...Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]),
    ),
    tools: merge(
      project.tools.map((tool) =>
        linkedTool(resolve(tool, 'tools'), [...project.automations, ...objectsIn(data.automations)]),
      ),
      data.tools,
    ),
    automations: merge(
      project.automations.map((it) => resolve(it, 'automations')),
      data.automations,
    ),
    assistants: [
      ...project.assistants.filter((it) => !own.has(it.name)).map((it) => resolve(it, 'assistants')),
      ...objectsIn(data.assistants),
    ].map(withoutWebhooks),
  } as Record<string, Records>
  account.assistants = withOwnNumbers(
    (account.assistants as Records).map((it) => withStubs(account, it)),
    assistant,
  )
  if (!isLive) account.tools = (account.tools as Records).map((it) => mockTool(it, scenario))
  if (channel === 'call')
    account.assistants = account.assistants.map((edited) => {
      if (edited.name !== assistant || edited.phone_number_id !== undefined) return edited
      return withStubs(account, { ...edited, phone_number_id: ownNumber })
    }) as Records
  if (channel === 'messaging')
    account.senders = [
      ...objectsIn(account.senders),
      { phone_number: senderNumber, display_name: 'Test', assistant_id: assistant },
    ]
  return { version: 1, accounts: [{ name: 'Tests', balance: 1000, payment_method: 'pm_card_visa', ...account }] }
}

/** Returns the records of the files with those of the scenario, which win. */
function merge(files: readonly Fields[], given: unknown): Records {
  const own = objectsIn(given)
  const names = new Set(own.map(nameOf))
  return [...files.filter((it) => !names.has(it.name)), ...own]
}

/**
 * Removes the number of an assistant that another one has, which a platform would refuse: that of the scenario, or an earlier one.
 * The file of an assistant may be a copy.
 */
function withOwnNumbers(assistants: Records, tested: unknown): Records {
  const taken = new Set(assistants.filter(({ name }) => name === tested).map((it) => it.phone_number_id))
  return assistants.map((assistant) => {
    const { phone_number_id: number, ...others } = assistant
    if (number === undefined || number === null || assistant.name === tested) return assistant
    if (taken.has(number)) return others
    taken.add(number)
    return assistant
  })
}

/** Removes what would notify other systems, and credentials. */
function withoutWebhooks(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !/webhook_url$|^is_webhook_active$/.test(name)))
}

/** Adds the missing records that an assistant refers to. References by id are removed. */
function withStubs(account: Record<string, Records>, assistant: Fields): Record<string, unknown> {
  let result = assistant
  for (const reference of references.assistants) {
    const [list, record] = stubs[reference.to] ?? []
    if (list === undefined || record === undefined) continue
    result = mapReference(result, reference, (value: unknown) => {
      const name = typeof value === 'string' ? value : `${reference.to} ${String(value)}`
      const all = (account[list] ??= [])
      const isKnown =
        all.some((it) => nameOf(it) === name) ||
        (list === 'numbers' && objectsIn(account.sip_trunks).some((it) => nameOf(it) === name))
      if (!isKnown) all.push({ ...record(list === 'numbers' && typeof value !== 'string' ? ownNumber : name) })
      return list === 'numbers' && typeof value !== 'string' ? ownNumber : name
    })
  }
  return { ...result }
}

/** Returns the record of a tool file. Without the automation that it calls, its request needs a mock. */
function linkedTool({ automation, ...tool }: Fields, automations: readonly Fields[]): Fields {
  if (automation === undefined) return tool
  const endpoint = `${mockHost}/${String(tool.name)}`
  const isKnown = automations.some((it) => nameOf(it) === automation)
  return { ...tool, endpoint, ...(isKnown && { type: 'automation', automation_id: automation }) }
}

/** Prepares a tool for mocks. A tool with an automation keeps it unless the scenario has a mock. */
const mockTool = (tool: Fields, { mocks }: Pick<TestScenario, 'mocks'>): Record<string, unknown> =>
  tool.type === 'automation' && !Object.hasOwn(mocks, String(tool.name)) ? { ...tool } : toMockTool(tool)

/** Returns a tool whose requests are answered by mocks, also if it calls an automation otherwise. */
export function toMockTool(tool: Fields): Record<string, unknown> {
  const { type: _, automation_id: __, ...rest } = tool
  return { ...rest, endpoint: `${String(tool.endpoint ?? mockHost).replace(/#.*$/, '')}#${String(tool.name)}` }
}
