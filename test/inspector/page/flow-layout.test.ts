import { describe, expect, test } from 'vitest'
import {
  type FlowLayout,
  type FlowNode,
  layoutFlow,
  nodeHeight,
  nodeWidth,
  pathsOf,
} from '../../../src/inspector/page/automations/flow-layout.ts'

const code = (name: string, nextAction?: FlowNode): FlowNode => ({
  name,
  type: 'CODE',
  ...(nextAction && { nextAction }),
})

/** Returns the pairs of steps that overlap, and the steps outside the drawing. */
function mistakes({ nodes, width, height }: FlowLayout): string[] {
  const outside = nodes.filter((it) => it.x < 0 || it.y < 0 || it.x + nodeWidth > width || it.y + nodeHeight > height)
  const overlapping = nodes.flatMap((a, at) =>
    nodes
      .slice(at + 1)
      .filter((b) => Math.abs(a.x - b.x) < nodeWidth && Math.abs(a.y - b.y) < nodeHeight)
      .map((b) => `${a.name} and ${b.name}`),
  )
  return [...outside.map((it) => it.name), ...overlapping]
}

const placeOf = (layout: FlowLayout, name: string) => layout.nodes.find((it) => it.name === name)!

describe('the graph of an automation', () => {
  test('a chain runs down in one line', () => {
    const layout = layoutFlow({ name: 'trigger', type: 'PIECE_TRIGGER', nextAction: code('a', code('b')) })
    expect(layout.nodes.map((it) => it.name)).toEqual(['trigger', 'a', 'b'])
    expect(new Set(layout.nodes.map((it) => it.x)).size).toBe(1)
    expect(layout.edges.map((it) => `${it.from} ${it.to}`)).toEqual(['trigger a', 'a b'])
    expect(mistakes(layout)).toEqual([])
  })

  test('the paths of a step that may fail are side by side, unless it does not continue', () => {
    const of = (value: boolean) =>
      layoutFlow({
        name: 'trigger',
        nextAction: {
          name: 'risky',
          type: 'CODE',
          settings: { errorHandlingOptions: { continueOnFailure: { value } } },
          continueOnFailureBranches: { onSuccess: null, onFailure: code('handle') },
          nextAction: code('after'),
        },
      })
    expect(of(true).nodes.map((it) => it.name)).toEqual(['trigger', 'risky', 'handle', 'after'])
    expect(of(true).edges.map((it) => `${it.from} ${it.to} ${it.label}`)).toEqual([
      'trigger risky undefined',
      'risky undefined on success',
      'risky handle on failure',
      'risky after undefined',
      'handle after undefined',
    ])
    expect(mistakes(of(true))).toEqual([])
    expect(of(false).nodes.map((it) => it.name)).toEqual(['trigger', 'risky', 'after'])
  })

  test('the paths of a branch are side by side, and join before the next step', () => {
    const layout = layoutFlow({
      name: 'trigger',
      nextAction: {
        name: 'check',
        type: 'BRANCH',
        onSuccessAction: code('yes', code('yes2')),
        onFailureAction: null,
        nextAction: code('after'),
      },
    })
    expect(mistakes(layout)).toEqual([])
    expect(layout.edges.filter((it) => it.from === 'check').map((it) => it.label)).toEqual(['true', 'false', undefined])
    expect(layout.edges.filter((it) => it.to === 'after').map((it) => it.from)).toEqual(['yes2', 'check'])
    expect(placeOf(layout, 'after').y).toBeGreaterThan(placeOf(layout, 'yes2').y)
  })

  test('the steps of a loop are in its frame', () => {
    const layout = layoutFlow({
      name: 'trigger',
      nextAction: {
        name: 'loop',
        type: 'LOOP_ON_ITEMS',
        firstLoopAction: {
          name: 'inner',
          type: 'BRANCH',
          onSuccessAction: code('deep'),
          onFailureAction: code('other'),
        },
        nextAction: code('after'),
      },
    })
    expect(mistakes(layout)).toEqual([])
    const frame = layout.frames[0]!
    for (const name of ['inner', 'deep', 'other']) {
      const { x, y } = placeOf(layout, name)
      expect(x).toBeGreaterThanOrEqual(frame.x)
      expect(x + nodeWidth).toBeLessThanOrEqual(frame.x + frame.width)
      expect(y + nodeHeight).toBeLessThanOrEqual(frame.y + frame.height)
    }
    expect(placeOf(layout, 'after').y).toBeGreaterThanOrEqual(frame.y + frame.height)
  })

  const branches = [
    { branchName: 'Morning', branchType: 'CONDITION' },
    { branchName: 'Evening', branchType: 'CONDITION' },
    { branchName: 'Otherwise', branchType: 'FALLBACK' },
  ]

  test('a router of the first match is one step with its paths', () => {
    const node: FlowNode = {
      name: 'router',
      type: 'BRANCH',
      settings: { router: { executionType: 'EXECUTE_FIRST_MATCH', branches } },
      onSuccessAction: code('morning'),
      onFailureAction: {
        name: 'step_9',
        type: 'BRANCH',
        settings: { routerBranch: 1 },
        onSuccessAction: code('evening'),
        onFailureAction: code('night'),
      },
      nextAction: code('after'),
    }
    const { paths, next } = pathsOf(node)
    expect(paths.map((it) => `${it.label}: ${it.first?.name}`)).toEqual([
      'Morning: morning',
      'Evening: evening',
      'Otherwise: night',
    ])
    expect(next?.name).toBe('after')
    const layout = layoutFlow({ name: 'trigger', nextAction: node })
    expect(layout.nodes.map((it) => it.name)).not.toContain('step_9')
    expect(mistakes(layout)).toEqual([])
  })

  test('a router of all matches is one step with its paths', () => {
    const node: FlowNode = {
      name: 'router',
      type: 'BRANCH',
      settings: { router: { executionType: 'EXECUTE_ALL_MATCH', branches } },
      onSuccessAction: code('morning'),
      nextAction: {
        name: 'router_2',
        type: 'BRANCH',
        settings: { routerBranch: 1 },
        onSuccessAction: code('evening'),
        nextAction: {
          name: 'router_otherwise',
          type: 'BRANCH',
          settings: {},
          onSuccessAction: code('night'),
          nextAction: code('after'),
        },
      },
    }
    const { paths, next } = pathsOf(node)
    expect(paths.map((it) => `${it.label}: ${it.first?.name}`)).toEqual([
      'Morning: morning',
      'Evening: evening',
      'Otherwise: night',
    ])
    expect(next?.name).toBe('after')
  })

  test('a deep tree of branches has no overlapping steps', () => {
    const tree = (name: string, depth: number): FlowNode =>
      depth === 0
        ? code(name, code(`${name}x`))
        : {
            name,
            type: 'BRANCH',
            onSuccessAction: tree(`${name}a`, depth - 1),
            onFailureAction: tree(`${name}b`, depth - 1),
            nextAction: code(`${name}z`),
          }
    expect(mistakes(layoutFlow({ name: 'trigger', nextAction: tree('s', 4) }))).toEqual([])
  })
})
