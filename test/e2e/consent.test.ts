import { beforeAll, describe, expect, test } from 'vitest'
import { riskOf } from '../../src/cli/commandline/command.ts'
import { allCommands } from '../../src/generate/reference-files.ts'
import { newPlace, parley, shell } from './support/built-program.ts'

// What test/cli/consent/require-confirmation.test.ts holds every command to, with real pipes: each command that wants consent meets one of them, another than the one
// before it.

const pipes: readonly ((line: string) => string)[] = [
  (line) => `echo | ${line}`,
  (line) => `yes | ${line}`,
  (line) => `${line} </dev/null`,
  (line) => `${line} <&-`,
  (line) => `${line} >&- </dev/null`,
  (line) => `yes | ${line} | true; exit \${PIPESTATUS[1]}`,
  (line) => `${line} <&- >&- 2>&-`,
]

/** Done before, so that there is something to lose. */
const before = [
  'server seed --seed 7',
  'profile set staging --url https://platform.example',
  'server connections create --kind mail',
  'server snapshot save before-tests',
  'campaigns start 1 --yes',
]

const lines = (await allCommands()).flatMap(([words, it]) => {
  const example = it.examples.find((words) => words !== '') ?? ''
  return ['destructive', 'severe', 'spends'].includes(riskOf(it))
    ? [`${words} ${example.replace('--yes', '').replace('Greeting', '"Opening hours"')}`]
    : []
})

const at = newPlace()
/** All that could have been lost or bought, but for when keys were last used. */
const kept = async (): Promise<string> => {
  const lists = [
    'numbers list',
    'keys list --fields id',
    'tools list',
    'leads list --all --fields id',
    'automate list',
    'campaigns list --fields id',
    'server snapshot list',
    'ops list',
  ]
  return (await Promise.all(lists.map(async (it) => (await parley(`${it} --json`, { at })).stdout))).join('')
}

let then = ''
beforeAll(async () => {
  for (const line of before) expect(await parley(line, { at }), line).toMatchObject({ exitCode: 0 })
  then = await kept()
})

describe('is exit 10 and nothing on stdout', () => {
  test.concurrent.each(lines.map((line, n) => (pipes[n % pipes.length] as (line: string) => string)(`parley ${line}`)))(
    '%s',
    async (line) => {
      const { exitCode, stdout, stderr } = await shell(line, { at })
      expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 10, stdout: '' })
      expect(stderr).not.toContain('(y/N)')
    },
  )
})

test('and after all of it everything is there, and nothing was bought', async () => {
  expect(await kept()).toBe(then)
})
