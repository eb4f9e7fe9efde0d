import { beforeAll, expect, test } from 'vitest'
import { describeCommands } from '../../../../src/cli/reference/command-reference/command-descriptions.ts'
import { longOnly } from '../../../support/case-count.ts'
import { operator } from '../../../support/operator.ts'

// Values that programs compare are single words: a token, never a phrase.

const fix = 'Values with spaces. Use tokens such as local_only'

/** Every text below `value` with the names that lead to it. */
function textsIn(
  value: unknown,
  path: readonly string[] = [],
): { readonly path: readonly string[]; readonly text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, child]) => textsIn(child, [...path, name]))
}

const isPhrase = ({ text }: { readonly text: string }): boolean => /\s/.test(text)

test('no value that a schema, a flag or a description lists has a space', async () => {
  const described = await describeCommands([])
  const listed = described.flatMap(({ command, flags, input_schema, output_schema, ...rest }) => [
    ...textsIn({ risk: rest.risk, consent: rest.consent, consent_when: rest.consent_when }, [command]),
    ...rest.exit_codes.map(({ name }) => ({ path: [command, 'exit_codes'], text: name })),
    ...textsIn(
      flags.map(({ choices }) => choices),
      [command, 'choices'],
    ),
    ...textsIn({ input_schema, output_schema }, [command]).filter(
      ({ path }) => path.at(-1) === 'const' || path.at(-2) === 'enum',
    ),
  ])
  expect(listed.length).toBeGreaterThan(1000)
  expect(listed.filter(isPhrase), fix).toEqual([])
})

/** Fields that hold one of a few values, whether their schema lists them or not. */
const tokenFields = new Set([
  'action',
  'case',
  'check',
  'direction',
  'done',
  'kind',
  'level',
  'noun',
  'outcome',
  'risk',
  'rule',
  'source',
  'state',
  'status',
  'vocabulary',
  'vocabulary_source',
])

const by = operator({ lasts: 'file' })
beforeAll(async () => {
  await by.run('tools update 1 --tool-timeout 9')
  await by.run('knowledge documents update 2 --knowledge 1 --name Hours')
  await by.run('numbers buy +15005550006 --yes')
  await by.run('server faults create tools.get --status 503')
})

test.each([
  'doctor',
  'history list',
  'history list --all-writes',
  'keys list',
  'ops list',
  'profile list',
  'profile get --origin',
  'pull --check',
  'refs assistants 1',
  'refs knowledge 1',
  'refs numbers 1',
  'server faults list',
  'server status',
  'whoami',
  ...longOnly('doctor --conformance'),
])('no state or kind in the output of "%s --json" has a space', async (line) => {
  const { stdout } = await by.run(`${line} --json`)
  const texts = textsIn(JSON.parse(stdout)).filter(
    ({ path }) => tokenFields.has(path.at(-1) ?? '') || path.includes('origin'),
  )
  expect(texts.filter(isPhrase), fix).toEqual([])
})
