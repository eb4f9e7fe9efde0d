import { beforeAll, describe, expect, test } from 'vitest'
import { riskOf } from '../../../src/cli/program/commandline/command.ts'
import { allCommands } from '../../../src/generate/reference-files.ts'
import { postgresCommands } from '../../support/postgres-commands.ts'
import { filledPlace, type Place, parley, shell } from './built-program.ts'
import { rowsOf } from './holdings.ts'

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
  'profile set staging --url https://platform.example',
  'server connections create --kind mail',
  'server snapshot save before-tests',
  'server backup parley.backup',
  'campaigns start 1 --yes',
]

/** Every command that wants consent, with words of its own and a pipe: another than the one before it. */
export const everyCommand: readonly string[] = (await allCommands())
  // The key of a data folder cannot be replaced: keys-rotate.test.ts.
  .filter(([words]) => !postgresCommands.includes(words) && words !== 'keys rotate')
  .filter(([, command]) => ['destructive', 'severe', 'spends'].includes(riskOf(command)))
  .map(([words, command], n) => {
    const example = command.examples.find((words) => words !== '') ?? ''
    const pipe = pipes[n % pipes.length] as (line: string) => string
    return pipe(`parley ${words} ${example.replace('--yes', '').replace('Greeting', '"Opening hours"')}`)
  })

/** All that could have been lost or bought, but for when keys were last used. */
const saved = async (at: Place): Promise<string> =>
  JSON.stringify([
    rowsOf(at, [
      'select id, phone_number from phone_number',
      'select id, name from api_key',
      'select * from tool',
      'select id, phone_number from lead',
      'select * from automation',
      'select id, name from campaign',
    ]),
    ...(await Promise.all(
      ['server snapshot list', 'ops list'].map(async (it) => (await parley(`${it} --json`, { at })).stdout),
    )),
  ])

/** With real pipes nothing is lost or bought by any of these lines. */
export function needsConsent(some: readonly string[]): void {
  let at: Place
  let then = ''
  beforeAll(async () => {
    at = await filledPlace(7)
    for (const line of before) expect(await parley(line, { at }), line).toMatchObject({ exitCode: 0 })
    then = await saved(at)
  })

  describe('exits with 10 and prints nothing on stdout', () => {
    test.concurrent.each(some)('%s', async (line) => {
      const { exitCode, stdout, stderr } = await shell(line, { at })
      expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 10, stdout: '' })
      expect(stderr).not.toContain('(y/N)')
    })
  })

  test('leaves everything unchanged after all of these commands', async () => {
    expect(await saved(at)).toBe(then)
  })
}
