import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { controlEndpoints } from '../../src/contract/control/index.ts'
import { composedCalls } from '../../src/contract/endpoint/composed-calls.ts'
import { failures } from '../../src/contract/errors/failures.ts'
import { addressFields, references } from '../../src/contract/references/resource-references.ts'
import { endpoints } from '../../src/contract/resources/index.ts'
import { publicVocabulary } from '../../src/contract/vocabulary/public-vocabulary.ts'
import { templates } from '../../src/engine/templates/template-catalogue.ts'
import { filesIn, isNode, type Node, root, sourcesIn, toSource, walk } from '../support/sources.ts'

// Words that a file has as a text, and another one defines. Neither an import nor a type connects them.

const all = [...endpoints, ...controlEndpoints]

/** Returns the texts in a file, and those of templates with `*` for each value. */
function textsIn(program: Node): string[] {
  const found: string[] = []
  walk(program, (node) => {
    if (node.type === 'Literal' && typeof node.value === 'string') found.push(node.value)
    if (node.type === 'TemplateLiteral' && Array.isArray(node.quasis))
      found.push(
        node.quasis
          .filter(isNode)
          .map((it) => String((it.value as { cooked?: string }).cooked))
          .join('*'),
      )
  })
  return found
}

test('texts with the form of a name of an endpoint are names of endpoints, or of what is listed here', () => {
  const others = [
    ...Object.keys(failures),
    ...composedCalls.map((it) => it.name),
    // An event, the name of requests to webhooks in logs, columns of a view, files, and steps of providers.
    ...['sms.sent', 'automate.webhook', 'clock.now', 'accounts.json', 'platform.db', 'requests.ndjson'],
    ...['sheets.apply', 'sheets.change', 'tools.address', 'assistants.address', 'automate.address', 'automate.step'],
  ]
  const known = new Set([...all.map((it) => it.name), ...others])
  const resources = new Set(all.map((it) => it.name.split('.')[0]))
  const idFields = /^\w+\.\w+_ids?$/
  const unknown = sourcesIn('src')
    .filter(({ path }) => !path.startsWith('src/generated'))
    .flatMap(({ path, program }) => textsIn(program).map((text) => ({ path, text })))
    .filter(({ text }) => /^[a-zA-Z]+\.[a-zA-Z_]+$/.test(text) && resources.has(text.split('.')[0] ?? ''))
    .filter(({ text }) => !known.has(text) && !idFields.test(text))
  expect(unknown).toEqual([])
})

test('effects of a deletion are described for references that exist', () => {
  const file = 'src/cli/program/dependencies/deletion-effects.ts'
  const table = readFileSync(join(root, file), 'utf8').split('const effectTexts')[1]?.split('\n}')[0] ?? ''
  const described = [...table.matchAll(/^ {2}'([\w.[\]]+)'/gm)].map((it) => String(it[1]))
  expect(described.length).toBeGreaterThan(10)
  const known = [
    ...Object.entries(references).flatMap(([from, list]) => list.map(({ path }) => `${from}.${path}`)),
    ...[...Object.keys(addressFields), 'automate'].map((from) => `${from}.address`),
    'automate.step',
  ]
  expect(described.filter((it) => !known.includes(it))).toEqual([])
})

test('requests of the page of the inspector have paths of endpoints', () => {
  const paths = all.map((it) => it.path.split('/'))
  const isPath = (given: string): boolean => {
    const parts = given.replace(/\?.*$/, '').split('/')
    return paths.some(
      (path) =>
        path.length === parts.length &&
        path.every(
          (part, n) => part.startsWith('{') || (parts[n] as string).split('*').every((it) => part.includes(it)),
        ),
    )
  }
  const requested = filesIn('src/inspector')
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) => textsIn(toSource(path, readFileSync(join(root, path), 'utf8')).program))
    .filter((text) => /^\/(?:api|control)\/.*[^/]$/.test(text))
  expect(requested.length).toBeGreaterThan(50)
  // A value that follows a path without a slash is its query.
  const withoutQuery = (text: string): string => text.replace(/([^/])\*$/, '$1')
  // The prefix of the paths of one assistant, and of one number.
  const prefixes = ['/api/user/assistant', '/api/user/phone-numbers']
  expect(requested.filter((it) => !isPath(it) && !isPath(withoutQuery(it)) && !prefixes.includes(it))).toEqual([])
})

test('public words of templates are of templates that exist', () => {
  const keys: readonly string[] = templates.flatMap((it) => [it.key, ...it.params.map((param) => param.key)])
  expect(Object.keys(publicVocabulary.values.key ?? {}).filter((it) => !keys.includes(it))).toEqual([])
})
