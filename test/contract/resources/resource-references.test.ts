import { describe, expect, test } from 'vitest'
import { Automation } from '../../../src/contract/automations/automation-records.ts'
import {
  addressFields,
  automationIdAt,
  references,
  stepReferences,
  unnamedStepReferences,
} from '../../../src/contract/references/resource-references.ts'
import { Assistant } from '../../../src/contract/resources/assistants.ts'
import { Campaign } from '../../../src/contract/resources/campaigns.ts'
import { SenderAssignment } from '../../../src/contract/resources/messaging.ts'
import { Tool } from '../../../src/contract/resources/tools.ts'
import { Voice } from '../../../src/contract/resources/voices.ts'
import { subflows } from '../../../src/engine/pieces/registry.ts'
import { platform } from '../../../src/engine/pieces/service-pieces.ts'

const resources = {
  assistants: Assistant,
  automate: Automation,
  campaigns: Campaign,
  senders: SenderAssignment,
  tools: Tool,
  voices: Voice,
} as const
const firstOf = (path: string): string => path.split(/[.[]/, 1)[0] as string

test.each(Object.entries(references))('references of %s are in existing fields', (resource, all) => {
  const fields = Object.keys(resources[resource as keyof typeof resources].shape)
  expect(all.map(({ path }) => firstOf(path)).filter((it) => !fields.includes(it))).toEqual([])
})

test.each(['assistants', 'campaigns', 'senders', 'voices'] as const)(
  'no field of %s that contains an id is missing',
  (resource) => {
    const named = references[resource].map(({ path }) => firstOf(path))
    expect(
      Object.keys(resources[resource].shape).filter((it) => /_ids?$/.test(it) && !named.includes(it as never)),
    ).toEqual([])
  },
)

test('no field that can contain the URL of an automation is missing', () => {
  expect(
    Object.keys(Assistant.shape)
      .filter((it) => it.endsWith('webhook_url'))
      .sort(),
  ).toEqual([...addressFields.assistants].sort())
  expect(Object.keys(Tool.shape)).toContain(addressFields.tools[0])
})

describe('steps', () => {
  const steps = { ...platform.triggers, ...platform.actions, ...subflows.actions }

  test.each(Object.entries(stepReferences))('%s has the fields of its references', (name, fields) => {
    expect(Object.keys(steps)).toContain(name)
    const { shape } = (steps[name] as { input: { shape?: object } }).input
    if (shape) for (const field of Object.keys(fields)) expect(Object.keys(shape)).toContain(field)
  })

  test('no field of a step that takes an id is missing', () => {
    const accepts = (schema: { safeParse(input: unknown): { success: boolean } }, value: unknown): boolean =>
      schema.safeParse(value).success
    const found = Object.entries(steps).flatMap(([name, { input }]) =>
      Object.entries((input as { shape?: Record<string, Parameters<typeof accepts>[0]> }).shape ?? {})
        .filter(
          ([, schema]) => accepts(schema, 5) && accepts(schema, '5') && !accepts(schema, -5) && !accepts(schema, 1.5),
        )
        .map(([field]) => `${name}.${field}`),
    )
    const known = [stepReferences, unnamedStepReferences].flatMap((table) =>
      Object.entries(table).flatMap(([name, fields]) => Object.keys(fields).map((field) => `${name}.${field}`)),
    )
    expect(found).toContain('deleteLead.lead')
    expect(found.filter((it) => !known.includes(it))).toEqual([])
  })
})

test.each([
  ['https://x.example/automate/api/v1/webhooks/abcDEF123', 'abcDEF123'],
  ['https://x.example/automate/api/v1/webhooks/abc/sync', 'abc'],
  ['https://x.example/prefix/automate/api/v1/webhooks/abc/test?x=1', 'abc'],
  ['https://x.example/automate/api/v1/webhooks/abc/other', undefined],
  ['https://x.example/webhooks/abc', undefined],
])('%s is the URL of automation %s', (address, id) => {
  expect(automationIdAt(address)).toBe(id)
})
