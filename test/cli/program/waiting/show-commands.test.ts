import { expect, test } from 'vitest'
import type { ShowCommand } from '../../../../src/cli/program/waiting/waitable.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'

/** Ids of what was started or found, and of a contact that waits for its hours. */
const cases = [
  { id: 1, senderId: 2, sender_id: 2, docId: 3, recipient_phone: '+14155550142' },
  { id: 1, waiting: 4 },
]

test('the command that waits again for what a command has started exists, and takes the flags that are given to it', async () => {
  const commands = new Map((await allCommands()).map(([words, command]) => [words, command]))
  const problems: string[] = []
  for (const [words, { waits }] of commands)
    for (const shown of cases.map((ids) => waits?.shownBy?.(ids)).filter((it): it is ShowCommand => it !== undefined)) {
      const found = commands.get(shown.words)
      const fields = Object.keys(found?.endpoint?.query?.shape ?? {}).map((it) => `--${it.replaceAll('_', '-')} `)
      const flags = [...fields, ...(found?.flags ?? []).map((it) => it.flags)]
      const unknown = Object.keys(shown.flags ?? {})
        .map((name) => `--${name.replaceAll(/[A-Z]/g, (it) => `-${it.toLowerCase()}`)} `)
        .filter((name) => !flags.some((it) => it.includes(name)))
      const cannotWait = shown.canWait !== false && !found?.waits
      if (!found || unknown.length > 0 || cannotWait) problems.push(`${words}: ${shown.words} ${unknown}`)
    }
  expect(problems).toEqual([])
})
