import { expect, test } from 'vitest'
import type { FlowNode } from '../../../src/inspector/page/automations/flow-layout.ts'
import {
  compareLines,
  compareVersions,
  summarizeChanges,
} from '../../../src/inspector/page/automations/version-diff.ts'

const step = (name: string, settings: Record<string, unknown>, nextAction?: FlowNode): FlowNode => ({
  name,
  type: 'CODE',
  displayName: name.toUpperCase(),
  settings,
  ...(nextAction && { nextAction }),
})

test('steps are added, removed and changed, field by field', () => {
  const before = step('trigger', {}, step('a', { input: { url: 'http://one', day: 1 } }, step('b', {})))
  const after = step('trigger', {}, step('new', {}, step('a', { input: { url: 'http://two', day: 1 } })))
  const changes = compareVersions(before, after)
  expect(changes.map((it) => `${it.change} ${it.step}`).sort()).toEqual(['added new', 'changed a', 'removed b'])
  expect(changes.find((it) => it.step === 'a')?.fields).toEqual([
    { path: 'settings.input.url', before: 'http://one', after: 'http://two' },
  ])
  expect(summarizeChanges(changes)).toBe('Steps: 1 added, 1 removed, 1 changed.')
})

test('steps after a step that may fail are compared by name', () => {
  const of = (branches: NonNullable<FlowNode['continueOnFailureBranches']>) => ({
    ...step('trigger', {}, { ...step('a', {}), continueOnFailureBranches: branches }),
  })
  const before = of({ onSuccess: step('b', {}), onFailure: null })
  const after = of({ onSuccess: null, onFailure: step('b', {}) })
  expect(compareVersions(before, after).map((it) => `${it.change} ${it.step}`)).toEqual(['moved b'])
})

test('a step that is after another one has moved', () => {
  const before = step('trigger', {}, step('a', {}, step('b', {})))
  const after = step('trigger', {}, step('b', {}, step('a', {})))
  expect(compareVersions(before, after).every((it) => it.change === 'moved')).toBe(true)
  expect(summarizeChanges(compareVersions(before, before))).toBe('The definitions are identical.')
})

test('texts are compared line by line', () => {
  expect(compareLines('a\nb\nc', 'a\nx\nc').map((it) => it.mark + it.text)).toEqual([' a', '-b', '+x', ' c'])
  expect(compareLines('', 'new').map((it) => it.mark + it.text)).toEqual(['+new'])
})

test('very long texts are compared as a whole, without delay', () => {
  const long = 'x\n'.repeat(2000)
  expect(compareLines(long, `${long}y`)).toHaveLength(4002)
})
