import { describe, expect, test } from 'vitest'
import { parseFragment, readFragments } from '../../../scripts/release/fragments.ts'
import { filesIn, read, root } from '../../support/sources.ts'

const source = (kind: string, about: string, text: string) => `---\nkind: ${kind}\nabout: ${about}\n---\n${text}\n`

test('every file of changes is a fragment', () => {
  expect(readFragments(root)).toHaveLength(filesIn('changes').filter((path) => path !== 'changes/README.md').length)
})

test('the example of the page about changes is a fragment', () => {
  const [, example = ''] = /```md\n(.*?)```/s.exec(read('changes/README.md')) ?? []
  expect(parseFragment('changes/budget.md', example)).toMatchObject({ kind: 'added', about: 'numbers' })
})

test('a fragment has a kind, a topic and one line, whatever ends its lines', () => {
  const text = source('fixed', 'exit codes', '`push` ends with exit code 5.')
  const fragment = {
    path: 'changes/push.md',
    kind: 'fixed',
    about: 'exit codes',
    text: '`push` ends with exit code 5.',
  }
  expect(parseFragment('changes/push.md', text)).toEqual(fragment)
  expect(parseFragment('changes/push.md', text.replaceAll('\n', '\r\n'))).toEqual(fragment)
})

describe('what is not a fragment is refused with its path and the fix', () => {
  test.each([
    ['changes/Push it.md', source('fixed', 'push', 'Text.'), 'lower-case words joined by dashes'],
    ['changes/push.md', 'Text.\n', 'must begin with "---"'],
    ['changes/push.md', source('improved', 'push', 'Text.'), 'Unknown kind "improved". Use one of breaking, security'],
    ['changes/push.md', '---\nabout: push\n---\nText.\n', 'Unknown kind ""'],
    ['changes/push.md', '---\nkind: fixed\nabout: push\nissue: 7\n---\nText.\n', 'Unknown field "issue"'],
    ['changes/push.md', '---\nkind: fixed\n---\nText.\n', '"about" must be a noun'],
    ['changes/push.md', '---\nkind: [\n---\nText.\n', 'Invalid YAML'],
    ['changes/push.md', source('fixed', 'push', ''), 'There is no text'],
    ['changes/push.md', source('fixed', 'push', 'One.\nTwo.'), 'must be one line'],
    ['changes/push.md', source('fixed', 'push', 'x'.repeat(201)), 'has 201 characters, more than 200'],
    ['changes/push.md', source('fixed', 'push', '- One.'), 'must not begin with a list'],
  ])('%s: %j', (path, text, problem) => {
    expect(() => parseFragment(path, text)).toThrow(problem)
    expect(() => parseFragment(path, text)).toThrow(`${path}: `)
  })
})

test('a text of 200 characters is accepted', () => {
  expect(parseFragment('changes/push.md', source('fixed', 'push', 'x'.repeat(200))).text).toHaveLength(200)
})
