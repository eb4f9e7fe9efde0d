import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import { walkSteps } from '../../../src/contract/automations/walk-steps.ts'
import { diff } from '../../../src/engine/analysis/diff.ts'
import { maskDefinition, unmaskDefinition } from '../../../src/engine/definition/mask.ts'
import { validateDefinition } from '../../../src/engine/definition/validate-definition.ts'
import { canonicalJson } from '../../../src/node/canonical-json.ts'
import { branch, code, exists, http, loop, webhook } from '../../support/automation-nodes.ts'
import { caseCount } from '../../support/case-count.ts'

/** Any tree of steps, some named, with secrets in some. */
const { chain } = fc.letrec<{ chain: AutomationNode[]; step: AutomationNode }>((tie) => ({
  step: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc
      .record({ token: fc.string({ minLength: 1 }), extra: fc.jsonValue({ maxDepth: 2 }) })
      .map(({ token, extra }) => http({ headers: { 'X-Api-Key': token } }, { extra: extra as object })),
    fc.constant(null).map(() => code()),
    fc
      .tuple(tie('chain'), tie('chain'))
      .map(([yes, no]) => branch([[exists('1')]], { onSuccessAction: yes as never, onFailureAction: no as never })),
    tie('chain').map((inner) => loop('{{trigger.body.list}}', { firstLoopAction: inner as never })),
  ),
  chain: fc.array(tie('step'), { minLength: 0, maxLength: 4 }),
}))

const flows = chain.filter((it) => it.length > 0).map((steps) => ({ trigger: webhook(), steps }))
const options = { seed: 42_005, numRuns: caseCount(200, 50) }

async function treeOf(flow: unknown): Promise<AutomationNode> {
  const examined = await validateDefinition(flow)
  if (!examined.ok) throw new Error(JSON.stringify(examined.problems.slice(0, 3)))
  return examined.definition
}

describe('any definition', () => {
  test('each step is visited once, with distinct names, and a second walk changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(flows, async (flow) => {
        const tree = await treeOf(flow)
        const names = [...walkSteps(tree)].map(({ node }) => node.name)
        expect(new Set(names).size).toBe(names.length)
        expect(names.length - 1).toBe(
          (JSON.stringify(flow).match(/"type":"(PIECE|CODE|BRANCH|LOOP_ON_ITEMS)"/g) ?? []).length,
        )
        expect(canonicalJson(await treeOf(tree))).toBe(canonicalJson(tree))
        expect(canonicalJson(await treeOf({ trigger: tree }))).toBe(canonicalJson(tree))
      }),
      options,
    )
  })

  test('a masked definition that is sent back does not change the stored one', async () => {
    await fc.assert(
      fc.asyncProperty(flows, async (flow) => {
        const tree = await treeOf(flow)
        const { definition, problems } = unmaskDefinition(maskDefinition(tree), tree)
        expect(problems.all).toEqual([])
        expect(canonicalJson(definition)).toBe(canonicalJson(tree))
        expect(diff(tree, definition)).toEqual({ added: [], removed: [], moved: [], changed: [] })
      }),
      options,
    )
  })

  test('no definition that was sent makes it unreadable', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), fc.jsonValue({ maxDepth: 6 }), async (trigger, steps) => {
        await validateDefinition({ trigger, steps })
        await validateDefinition({
          trigger: webhook(),
          steps: [steps, { type: 'ROUTER', settings: steps, children: trigger }],
        })
        await validateDefinition({
          trigger: webhook(),
          steps: [
            { type: 'BRANCH', settings: { conditions: steps } },
            { type: 'PIECE', settings: { pieceName: '@engine/piece-http', actionName: 'send_request', input: steps } },
          ],
        })
      }),
      options,
    )
  })
})
