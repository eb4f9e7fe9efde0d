import { expect, test } from 'vitest'
import { findChild } from '../../src/cli/program/commandline/command-names.ts'
import type { Node } from '../../src/cli/program/commandline/command-tree.ts'
import { tree } from '../../src/cli/tree.ts'
import { controlEndpoints } from '../../src/contract/control/index.ts'
import { endpoints } from '../../src/contract/resources/index.ts'
import { commandWords, equivalentCommand } from '../../src/inspector/equivalent-command.ts'

const all = [...endpoints, ...controlEndpoints]
const endpointOf = (name: string) => all.find((it) => it.name === name) as (typeof all)[number]

test.each(all.map((it) => [it.name, it] as const))('%s has a command that exists, or none', (_, endpoint) => {
  const words = commandWords(endpoint)?.[0].split(' ') ?? []
  if (words[0] === 'api' || words.length === 0) return
  let nodes: Readonly<Record<string, Node>> = tree
  for (const [n, word] of words.entries()) {
    const found = findChild(nodes, word)
    expect(found, `parley ${words.join(' ')}`).toBeDefined()
    nodes = found?.[1].verbs ?? {}
    expect(n === words.length - 1 || Object.keys(nodes).length > 0, words.join(' ')).toBe(true)
  }
  expect(Object.keys(nodes), `parley ${words.join(' ')} is incomplete`).toEqual([])
})

const lineOf = (name: string, params = {}, query = '', input = {}) =>
  equivalentCommand(endpointOf(name), params, new URLSearchParams(query), input)

test('a command has the parameters of the request', () => {
  expect(lineOf('numbers.list')).toBe('parley numbers list')
  expect(lineOf('tools.get', { id: '7' })).toBe('parley tools get 7')
  expect(lineOf('calls.list', {}, 'status=failed&page=2&date_from=2026-01-01')).toBe(
    'parley calls list --status failed --date-from 2026-01-01',
  )
  expect(lineOf('automate.restoreVersion', { id: 'a', number: '3' })).toBe('parley automate restore a --to 3')
  expect(lineOf('clock.advance', {}, '', { by: '1d' })).toBe('parley server clock advance 1d')
  expect(lineOf('snapshots.save', {}, '', { name: "it's", replace: true })).toBe(
    "parley server snapshot save 'it'\\''s' --replace",
  )
  expect(lineOf('connections.break', { account: '1', id: 'x' })).toBe('parley server connections break --account 1 x')
  expect(lineOf('tools.update', { id: '7' }, '', { headers: [{ name: 'a' }] })).toBe(
    `parley tools update 7 --data '{"headers":[{"name":"a"}]}'`,
  )
  expect(lineOf('campaigns.updateStatus', {}, '', { campaign_id: 1 })).toBe(
    `parley api campaigns.updateStatus --data '{"campaign_id":1}'`,
  )
  expect(lineOf('user.resume', {}, '', { stopped_at: '2027-03-01T12:00:00.000000Z' })).toBe('parley resume')
  expect(lineOf('turns.follow', { key: 'x' })).toBe(null)
})
