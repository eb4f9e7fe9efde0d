import { describe, expect, test } from 'vitest'
import { findGoal, flagsOf, mappedGoals, nounsOf, recipesOf, withoutCommand } from './printed-lines.ts'

const map =
  'Commands, to type after "parley".\n\nkeys list: List API keys\nkeys delete <id>: Delete an API key (destructive)\ncampaigns delete <id>: Stop and delete a campaign (destructive)\nlogin [name]: Sign in to a platform (write)\n\nExit codes: 0 done'
const skill =
  '- Stop a campaign: `parley campaigns stop <id>\n  --yes`\n- Take back: `parley history list`, then `parley history undo <entry>`\n\n- `keys`: list, delete <id> (destructive)\n- `refs`: tools <id>'

test('reads goals, commands, nouns and flags from the texts of Parley', () => {
  expect(mappedGoals(map).map(({ lines, risk }) => [lines[0], risk])).toEqual([
    ['keys list', undefined],
    ['keys delete <id>', 'destructive'],
    ['campaigns delete <id>', 'destructive'],
    ['login [name]', 'write'],
  ])
  expect(recipesOf(skill).map(({ goal, lines }) => [goal, ...lines])).toEqual([
    ['Stop a campaign', 'campaigns stop <id> --yes'],
    ['Take back', 'history list', 'history undo <entry>'],
  ])
  expect([...nounsOf(skill)]).toEqual([
    ['keys', ['list', 'delete']],
    ['refs', ['tools']],
  ])
  expect(flagsOf('Flags:\n  --from <profile>  Profile to read\n  --force  Overwrite')).toEqual([
    { flag: '--from', text: 'Profile to read' },
    { flag: '--force', text: 'Overwrite' },
  ])
})

describe('a goal', () => {
  const find = (words: string): string | undefined =>
    findGoal([...recipesOf(skill), ...mappedGoals(map)], words)?.lines[0]

  test.each([
    ['stopped campaigns', 'campaigns stop <id> --yes'],
    ['sign in platform', 'login [name]'],
    ['delete key', 'keys delete <id>'],
  ])('%s is found by its words', (words, line) => expect(find(words)).toBe(line))

  test('is not found if a word is missing, or by a command that destroys more', () => {
    expect(find('stop key')).toBeUndefined()
    expect(findGoal(mappedGoals(map), 'stop campaign')).toBeUndefined()
  })
})

test('a command is removed from every text', () => {
  expect(mappedGoals(withoutCommand(map, 'keys delete')).map(({ lines }) => lines[0])).toEqual([
    'keys list',
    'campaigns delete <id>',
    'login [name]',
  ])
  expect(nounsOf(withoutCommand(skill, 'keys delete')).get('keys')).toEqual(['list'])
  expect(
    recipesOf(withoutCommand(skill, 'campaigns stop')).find(({ goal }) => goal === 'Stop a campaign')?.lines,
  ).toEqual([undefined])
  expect(recipesOf(withoutCommand(skill, 'history undo'))[1]?.lines).toEqual(['history list', undefined])
})
