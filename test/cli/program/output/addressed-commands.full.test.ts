import { describe, expect, test } from 'vitest'
import { commands, remoteExamples } from '../../reference/help/run-examples.ts'

// Every example of the help with --profile staging. A command line that it prints can be copied: it names that profile.

/** Commands of the local platform and of profiles, and those whose result is a description of commands. */
const others = /^(commands|completion|demo|help|login|profile|promote|schema|server|ui)\b/
const names = commands.map(([words]) => words).sort((one, other) => other.length - one.length)

/** Returns the printed command lines that would run on the platform of another profile. */
function unaddressed(text: string): string[] {
  return text
    .replaceAll(/\s+/g, ' ')
    .split(/(?=\bparley [a-z])/)
    .slice(1)
    .map((it) => it.slice('parley '.length).split(/[.,;)] /, 1)[0] as string)
    .filter((it) => names.some((name) => it === name || it.startsWith(`${name} `)) && !others.test(it))
    .filter((it) => !/ --(profile|help)\b/.test(it))
}

describe('command lines in notes, hints and results name the profile of the command', () => {
  const printed = new Set<string>()
  for (const { line, run } of remoteExamples.filter((it) => !others.test(it.line)))
    test(`parley ${line}`, async () => {
      const { stdout, stderr } = await run('staging', 'flag')
      // A command in quotes is a mention in the message of an error, not a line to copy.
      const text = `${stdout}\n${stderr}`.replaceAll(/"parley [a-z -]+"/g, '')
      expect(unaddressed(text)).toEqual([])
      if (/\bparley [a-z][^.]* --profile staging/.test(text)) printed.add(line)
    })

  test('as many of them do', () => expect(printed.size).toBeGreaterThan(60))
})
