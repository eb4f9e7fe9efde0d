import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { splitWords } from '../../../support/split-words.ts'
import { commands, examples, exits, runExamples, shown, skipped } from './run-examples.ts'

// Examples that only read. help-examples.full.test.ts has the others, and every-command.test.ts runs each command.
runExamples(examples.filter((it) => it.reads))

test('examples fit 80 columns, and a shell reads each as one command', () => {
  const all = commands.map(([words, command]) => shown(words, command))
  // What no space divides cannot be folded.
  expect(all.flatMap((it) => it.split('\n')).filter((it) => it.length > 76 && !it.includes("'[{"))).toEqual([])
  const script = `parley() { for word in "$@"; do printf '%s\\0' "$word"; done; printf '\\n\\0'; }\n${all.join('\n').replaceAll(/ (<|>>?) \S+/g, '')}`
  const read = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\n\0').slice(0, -1)
  const meant = commands.flatMap(([words, command]) =>
    command.examples.map((example) =>
      splitWords(`${words} ${example}`.replace(/ (<|>>?) \S+$/, ''))
        .map((word) => `${word}\0`)
        .join(''),
    ),
  )
  expect(read).toEqual(meant)
})

test('every exception in this test is still an example', () => {
  const lines = examples.map((it) => it.line)
  expect([...Object.keys(skipped), ...Object.keys(exits)].filter((it) => !lines.includes(it))).toEqual([])
  expect(commands.filter(([, command]) => command.examples.length === 0).map(([words]) => words)).toEqual([])
})
