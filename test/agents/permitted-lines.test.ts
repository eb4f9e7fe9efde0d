import { expect, test } from 'vitest'
import { isPermitted, linesOfMap, linesOfSkill } from './permitted-lines.ts'

const map = linesOfMap(
  'Commands, to type after "parley".\n\nkeys list: List API keys\nkeys get <id>: Show an API key\nlogin [name]: Sign in (write)\n\nExit codes: 0 done',
)
const skill = linesOfSkill('- Change: `parley <noun> update <id> --set <field>=<value>`, and no `others`')
const permits = (line: string): boolean => [...map, ...skill].some((it) => isPermitted(line, it))

test.each([
  'keys list',
  'keys list --json',
  'keys get 1 --json',
  'keys get "two words"',
  'login',
  'login production',
  'tools update 1 --set name=x',
  'tools update "Front desk" --set name="a b"',
])('permits %s', (line) => expect(permits(line)).toBe(true))

test.each([
  'keys',
  'keys list --all',
  'keys get',
  'keys get 1 2',
  'keys get --json',
  'keys delete 1',
  'others',
  'tools update 1 --set name',
  'tools update 1 --set name=x --yes',
  'tools update 1',
  'Exit codes',
])('does not permit %s', (line) => expect(permits(line)).toBe(false))
