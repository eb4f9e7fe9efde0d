import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import { maskText } from '../../../src/contract/values/mask-text.ts'
import { isSecretName } from '../../../src/contract/values/secret-names.ts'
import { diff } from '../../../src/engine/analysis/diff.ts'
import { maskDefinition, unmaskDefinition } from '../../../src/engine/definition/mask.ts'
import { findSecrets } from '../../../src/engine/definition/secrets.ts'
import { branch, code, http, loop, webhook } from '../../support/automation-nodes.ts'
import { caseCount } from '../../support/case-count.ts'
import { treeOf } from '../../support/validated-definition.ts'

/** Names of credentials, and of unknown fields. */
const credentialName = fc.constantFrom(
  ...['apiKey', 'access_token', 'password', 'X-Api-Key', 'clientSecret', 'Authorization', 'connectionString', 'cookie'],
)
const plainName = fc.constantFrom(
  'onTimeout',
  'meta',
  'a',
  'items',
  'settings',
  'value',
  'type',
  'continueOnFailureBranches',
)
let serial = 0
const secret = fc
  .constantFrom('-', '_', ' ', '"', "'", '<', '\n', '{{', 'é')
  .map((it) => `credential${it}${(serial += 1)}end`)

/** A value with credentials at any depth: in objects, in lists, as name and value, and below a name of a credential. */
const { hidden } = fc.letrec<{ hidden: object; below: unknown }>((tie) => ({
  hidden: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    fc.tuple(credentialName, tie('below')).map(([name, secret]) => ({ [name]: secret })),
    fc.tuple(credentialName, secret).map(([name, value]) => ({ name, value })),
    fc.tuple(plainName, tie('hidden')).map(([name, secret]) => ({ [name]: secret, note: 'plain' })),
    fc.array(tie('hidden'), { minLength: 1, maxLength: 3 }).map((list) => ({ list })),
    tie('hidden').map((it) => ({ name: 'inner', type: 'CODE', settings: { input: it } })),
  ),
  below: fc.oneof(
    { maxDepth: 3 },
    secret,
    fc.array(tie('below'), { minLength: 1, maxLength: 2 }),
    fc.tuple(plainName, tie('below')).map(([name, secret]) => ({ [name]: secret })),
    secret.map((value) => ({ type: 'string', value, default: value })),
  ),
}))
const fieldName = fc.constantFrom('onTimeout', 'apiKey', 'extra', 'sourceCode', 'auth', 'fallbackAction', 'children')

const place = (field: string, value: object, depth: number): AutomationNode => {
  const own: AutomationNode = { ...http({ timeout: 5 }), [field]: value }
  const wraps = [
    (it: AutomationNode) => it,
    (it: AutomationNode) => branch([], { onFailureAction: it }),
    (it: AutomationNode) => loop('{{[1]}}', { firstLoopAction: it }),
    (node: AutomationNode): AutomationNode => ({
      ...code(),
      continueOnFailureBranches: { onSuccess: null, onFailure: node },
    }),
    (it: AutomationNode): AutomationNode => ({ ...code(), nextAction: it }),
    () => ({ ...code(), continueOnFailureBranches: { onOther: value } }),
    () => ({
      ...code(),
      settings: { ...code().settings, sourceCode: { code: 'export const code = 1', [field]: value } },
    }),
  ] as const
  return (wraps[depth % wraps.length] as (node: AutomationNode) => AutomationNode)(own)
}

const options = { seed: 33_002, numRuns: caseCount(1500, 300) }
const secretsIn = (text: string): string[] => text.match(/credential.{1,8}?\d+end/gs) ?? []

test('a credential in any unknown field of any step is hidden, found, and restored', async () => {
  await fc.assert(
    fc.asyncProperty(fieldName, hidden, fc.nat({ max: 6 }), async (field, value, depth) => {
      const definition = await treeOf({ trigger: webhook(), steps: [place(field, value, depth)] })
      const all = JSON.stringify(definition)
      expect(secretsIn(all).length).toBeGreaterThan(0)
      const masked = maskDefinition(definition)
      expect(secretsIn(JSON.stringify(masked))).toEqual([])
      expect(JSON.stringify(masked)).toContain(maskText)
      const found = findSecrets(definition).map((it) => JSON.stringify(it))
      for (const secret of secretsIn(all)) expect(found.some((text) => text.includes(secret))).toBe(true)
      expect(unmaskDefinition(masked, definition)).toMatchObject({ definition, problems: { all: [] } })
      const bare = await treeOf({ trigger: webhook(), steps: [place('plainField', {}, depth)] })
      expect(secretsIn(JSON.stringify([diff(bare, definition), diff(definition, bare)]))).toEqual([])
    }),
    options,
  )
})

test('names of fields are what decides: the names of this test are those of credentials', () => {
  for (const name of ['apiKey', 'X-Api-Key', 'connectionString', 'cookie']) expect(isSecretName(name)).toBe(true)
})
